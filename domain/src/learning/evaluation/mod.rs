//! Evaluation runs: a Judge's version, or a Checkpoint of it, asked about the Judge's labelled samples, as a job. The
//! answers are stored with the ground truths, not as samples of clients.

mod answer_file;
mod answer_list;
mod answers;
mod cancel;
mod cascade;
mod compare;
mod curve;
mod ended;
mod evaluations;
mod plan;
mod run;
mod scope;
mod start;
mod store;

pub use answer_file::{AnswerExport, AnswerFile, AnswerFormat};
pub use answer_list::{AnswerPosition, EvaluationAnswer, EvaluationAnswerFilter};
pub use answers::EvaluationTable;
pub(crate) use answers::erase;
pub use cascade::EvaluatedCascade;
pub use compare::{Change, Comparison};
pub use curve::CurvePoint;
pub use evaluations::Evaluations;
pub use plan::{Estimate, EvaluatedModel, NewEvaluation};
pub use run::RunEvaluation;
pub use scope::EvaluationScope;
pub use start::EvaluationOrder;
pub use store::{Evaluation, EvaluationFilter, EvaluationMetrics};
