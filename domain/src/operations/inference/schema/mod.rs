//! Questions written as a JSON Schema of an object, and the object that answers them.

mod form;
mod known_values;
mod levels;
mod node;
mod output;
#[cfg(test)]
mod properties;
mod reader;
mod shape;
mod words;

pub(crate) use form::is_schema;
pub use form::marked_as_schema;
pub use output::OutputSchema;
