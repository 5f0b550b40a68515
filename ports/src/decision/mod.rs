//! Typed questions about a state, and the port to backends that answer them.

mod backend;
pub mod cascade;
mod mode;
mod parameters;
mod question;
mod state;

pub use backend::{
    CheckpointRef, Decision, DecisionBackend, DecisionFault, DecisionInput, HeadStore, ModelInfo, ServerInfo,
    ServerKind, Usage,
};
pub use cascade::{CascadeStep, DataBoundary};
pub use mode::DecisionMode;
pub use parameters::Parameters;
pub use question::{Choice, Question, QuestionKind};
pub use state::{DecisionState, refuse_nul};
