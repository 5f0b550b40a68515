//! Typed questions about a state, and the port to what answers them.

mod backend;
mod mode;
mod parameters;
mod question;
mod state;

pub use backend::{
    CheckpointRef, Decision, DecisionBackend, DecisionFault, DecisionInput, HeadStore, ModelInfo, Usage,
};
pub use mode::DecisionMode;
pub use parameters::Parameters;
pub use question::{Choice, Question, QuestionKind};
pub use state::{State, refuse_nul};
