//! Decision inference: typed questions about a state, answered with probabilities by a
//! [`DecisionBackend`](ports::decision::DecisionBackend). All but `infer` is pure computation.

mod answer;
mod asked;
mod backend;
mod distribution;
mod infer;
mod instructions;
#[cfg(test)]
mod properties;
mod route;
mod schema;
mod size;
mod validate;

pub use answer::{Answer, Answers, NONE_OF_THESE};
pub use asked::{Asked, parse_instructions};
pub use backend::{Backend, Inference};
pub(crate) use infer::ask;
pub use infer::{InferenceRequest, Inferred, JudgeRun, Record, Routing, answer};
pub use instructions::{InstructionLimits, PROMPT_KEY, choices_of, levels_of};
pub(crate) use schema::is_schema;
pub use schema::{OutputSchema, marked_as_schema};
pub use size::{MAX_INPUT_BYTES, within};
