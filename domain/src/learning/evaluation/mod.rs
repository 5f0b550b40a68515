//! Evaluation runs: a Judge's version, or a Checkpoint of it, asked about the Judge's labelled samples, as a job. What is
//! answered is kept beside the ground truths; nothing is recorded as if a client had asked.

mod answers;
mod compare;
mod run;
mod start;
mod store;

pub use answers::EvaluationTable;
pub(crate) use answers::erase;
pub use compare::{Change, ChangePosition, Comparison, compare};
pub use run::RunEvaluation;
pub use start::{Estimate, Model, NewEvaluation, cancel, estimate, start};
pub use store::{Evaluation, EvaluationFilter, counts, find, find_many, metrics, metrics_bytes, pages};
