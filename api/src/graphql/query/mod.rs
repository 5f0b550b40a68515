//! The queries, one file a noun; `schema.rs` merges them.

mod account;
mod batch;
mod checkpoint;
mod evaluation;
mod judge;
mod moderation_policy;
mod operator;
mod proof_of_work;
mod sample;
mod viewer;
mod webhook;

pub(crate) use account::AccountQuery;
pub(crate) use batch::BatchQuery;
pub(crate) use checkpoint::CheckpointQuery;
pub(crate) use evaluation::EvaluationQuery;
pub(crate) use judge::JudgeQuery;
pub(crate) use moderation_policy::ModerationPolicyQuery;
pub(crate) use operator::OperatorQuery;
pub(crate) use proof_of_work::ProofOfWorkQuery;
pub(crate) use sample::SampleQuery;
pub(crate) use viewer::ViewerQuery;
pub(crate) use webhook::WebhookQuery;
