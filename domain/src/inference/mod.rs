//! Decision inference: typed questions about a state, answered with probabilities by a [`DecisionBackend`]. Only
//! `infer` does more than compute.

mod answer;
mod backend;
mod distribution;
mod infer;
mod instructions;
mod parameters;
#[cfg(test)]
mod properties;
mod question;
mod route;
mod state;
mod validate;

pub use answer::{Answer, Answers, NONE_OF_THESE};
pub use backend::{
    CheckpointRef, Decision, DecisionBackend, DecisionFault, DecisionInput, HeadStore, ModelInfo,
};
pub(crate) use infer::ask;
pub use infer::{Inference, InferenceRequest, Inferred, JudgeRun, Record, Routing, Usage, answer};
pub use instructions::{InstructionLimits, PROMPT_KEY, choices_of, levels_of, parse as parse_instructions};
pub use parameters::Parameters;
pub use question::{Choice, Question, QuestionKind};
pub use route::{Backend, Mode};
pub use state::{MAX_INPUT_BYTES, State, within};
