//! The REST endpoints, one file a noun; each holds its JSON shapes and thin handlers.

pub(crate) mod batches;
pub(crate) mod checkpoints;
pub(crate) mod compat;
pub(crate) mod dataset;
pub(crate) mod evaluations;
pub(crate) mod feedback;
pub(crate) mod health;
pub(crate) mod image;
pub(crate) mod inference;
pub(crate) mod operation;
mod paid_response;
pub(crate) mod pricing;
pub(crate) mod text;
mod upload;

pub use batches::RestItems;
pub(crate) use paid_response::paid_response;
