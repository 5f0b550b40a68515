//! Evaluation runs: a Judge's version, or a Checkpoint of it, asked about the Judge's labelled samples, as a job. What is
//! answered is kept beside the ground truths; nothing is recorded as if a client had asked.

mod answers;
mod cancel;
mod compare;
mod ended;
mod evaluations;
mod plan;
mod run;
mod start;
mod store;

pub use answers::EvaluationTable;
pub(crate) use answers::erase;
pub use compare::{Change, ChangePosition, Comparison};
pub use evaluations::Evaluations;
pub use plan::{Estimate, EvaluatedModel, NewEvaluation};
pub use run::RunEvaluation;
pub use start::EvaluationOrder;
pub use store::{Evaluation, EvaluationFilter};
