//! The interface description, OpenAPI 3.1.0, but for its paths: those come from the URL table.

mod description;
mod examples;
mod nullable;
pub(crate) mod shapes;

pub(crate) use description::{IdempotencyHeader, without_paths};
pub(crate) use examples::add_examples;
pub(crate) use nullable::{SCHEMAS, allow_null_in_requests, collect_references};
