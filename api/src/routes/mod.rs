//! Which handler answers which request, who may send it, and what the interface description says of that.

mod errors;
mod layers;
mod route;
mod rules;
mod table;

pub use table::{openapi_document, operations_router, router};
