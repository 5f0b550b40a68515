//! The REST endpoints, one module a noun; each holds its JSON shapes and thin handlers.

pub(crate) mod batches;
pub(crate) mod checkpoints;
pub(crate) mod compat;
pub(crate) mod dataset;
pub(crate) mod evaluations;
pub(crate) mod feedback;
pub(crate) mod health;
pub(crate) mod image;
pub(crate) mod inference;
mod judge_jobs;
pub(crate) mod operation;
pub(crate) mod paid_response;
pub(crate) mod presets;
pub(crate) mod pricing;
mod streamed_body;
pub(crate) mod text;
pub(crate) mod unsubscribe;
mod upload;

pub use batches::RestItems;
pub(crate) use paid_response::paid_response;
pub(crate) use streamed_body::{body_of_pieces, streamed_body};
