//! The ports between the domain and the models: what is asked, what is answered, and how both sides read text. Knows no
//! database, no credits and no model runtime, so that an edit in `domain` rebuilds no engine.

pub mod catalog;
pub mod decision;
mod engine_error;
mod flow;
pub mod id;
pub mod image;
mod invalid;
pub mod text;
pub mod training;

pub use engine_error::EngineError;
pub use flow::{Flow, RequestGroup};
pub use invalid::InvalidField;
