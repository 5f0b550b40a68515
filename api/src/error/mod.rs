//! Errors as responses: one table from codes to statuses, one renderer for all bodies.
//!
//! A handler fails with [`Failure`], which puts the domain's error into the response's extensions. The renderer, in
//! the outermost layer, writes the body in the format of the route and logs the cause, once.

mod failure;
mod format;
mod render;
mod status;

pub(crate) use failure::Failure;
pub(crate) use format::{ErrorFormat, GRAPHQL_JSON};
pub use format::{ErrorResponse, OpenAiErrorResponse, SystemOneErrorResponse};
pub(crate) use render::render;
pub(crate) use status::status;
