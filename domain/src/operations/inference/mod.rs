//! Decision inference: typed questions about a state, answered with probabilities by a
//! [`DecisionBackend`](ports::decision::DecisionBackend). All but `infer` is pure computation.

mod answer;
mod ask;
mod asked;
mod backend;
mod calibrate;
mod calibrations;
mod cascade;
mod distribution;
mod infer;
mod infer_each;
mod instructions;
mod named_model;
#[cfg(test)]
mod properties;
mod recalibration;
mod recalibrations;
mod route;
mod routing;
mod schema;
mod size;
mod tally;
mod validate;

pub use answer::{Answer, Answers, NONE_OF_THESE};
pub(crate) use ask::{ask, failure};
pub use asked::{Asked, parse_instructions};
pub use backend::{Backend, Inference, NamedBackend, RESERVED_NAMES};
pub use calibrate::{LabelledQuestion, NewCalibration};
pub use calibrations::{BackendCalibration, Calibrations, GroupCalibration, QuestionGroup};
pub use infer::{InferenceRequest, Inferred, JudgeRun, Record, answer};
pub use infer_each::{InferredEach, JudgedRequest, MAX_STATES};
pub use instructions::{InstructionLimits, PROMPT_KEY, choices_of, levels_of};
pub(crate) use named_model::NamedAnswer;
pub use named_model::NamedModel;
pub(crate) use recalibration::{Recalibration, softmax};
pub use recalibrations::Recalibrations;
pub(crate) use recalibrations::read as read_recalibrations;
pub(crate) use route::{RoutePrice, RouteRequest};
pub use routing::{Routing, RoutingStep, StepOutcome};
pub(crate) use schema::is_schema;
pub use schema::{OutputSchema, marked_as_schema};
pub use size::{MAX_INPUT_BYTES, within};
pub use tally::{BackendTally, Tallies};
