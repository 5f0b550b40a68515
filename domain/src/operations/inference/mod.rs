//! Decision inference: typed questions about a state, answered with probabilities by a
//! [`DecisionBackend`](ports::decision::DecisionBackend). All but `infer` is pure computation.

mod answer;
mod backend;
mod distribution;
mod infer;
mod instructions;
#[cfg(test)]
mod properties;
mod route;
mod size;
mod validate;

pub use answer::{Answer, Answers, NONE_OF_THESE};
pub use backend::{Backend, Inference};
pub(crate) use infer::ask;
pub use infer::{InferenceRequest, Inferred, JudgeRun, Record, Routing, answer};
pub use instructions::{InstructionLimits, PROMPT_KEY, choices_of, levels_of, parse as parse_instructions};
pub use size::{MAX_INPUT_BYTES, within};
