//! Decision inference: typed questions about any state, answered with probabilities. `infer` is the whole line from a
//! request to a paid-for answer; the rest is pure. Who answers is behind [`crate::ports::DecisionBackend`].

mod answer;
mod distribution;
mod infer;
mod instructions;
mod parameters;
#[cfg(test)]
mod properties;
mod question;
mod route;
mod schema;
mod state;

pub use answer::{Answer, Answers, NONE_OF_THESE};
pub(crate) use infer::ask;
pub use infer::{Inference, InferenceRequest, Inferred, Routing, Usage, answer, infer};
pub use instructions::{Limits, PROMPT_KEY, choices_of, levels_of, parse as parse_instructions};
pub use parameters::Parameters;
pub use question::{Choice, Question, QuestionKind};
pub use route::{Backend, Mode};
pub use state::{MAX_INPUT_BYTES, State, within};
