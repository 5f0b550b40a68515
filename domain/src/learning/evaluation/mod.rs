//! Evaluation runs: a Judge's version, or a Checkpoint of it, asked about the Judge's labelled samples, as a job. The
//! answers are stored with the ground truths, not as samples of clients.

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
