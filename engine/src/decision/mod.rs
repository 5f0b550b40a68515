//! The decision model: typed questions about a state, answered by a marker cross-encoder in process. Each question is one
//! sequence with a marker before each option, and a score is read at each marker.

mod config;
mod hybrid;
mod layout;
mod model;
mod question;
mod render;
#[cfg(test)]
mod tests;
mod unavailable;
mod weights;

pub use model::{DecisionModel, DecisionOptions};
pub use unavailable::Unavailable;

pub(crate) use weights::embedded;
