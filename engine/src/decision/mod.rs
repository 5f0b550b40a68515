//! The decision model: answers typed questions about a state with a cross-encoder in process. A question is one
//! sequence with a marker before each option, and the head computes a score at each marker.

mod answer;
pub(crate) mod checkpoint;
mod checkpoint_cache;
pub(crate) mod config;
mod error;
mod joint;
pub(crate) mod key_head;
mod layout;
mod listing;
mod model;
mod multilingual;
pub(crate) mod question;
mod render;
#[cfg(test)]
mod tests;
mod unavailable;
mod values;
mod weights;

pub use model::{DecisionModel, DecisionOptions};
pub use unavailable::UnavailableDecisions;

pub(crate) use listing::embedded_model_infos;
pub(crate) use weights::{embedded, embedded_backbone, embedded_weights};
