//! The mutations, one file a noun; `schema.rs` merges them. Each takes one `input` and returns a payload that has
//! `userErrors`.

mod account;
mod api_key;
mod batch;
mod checkpoint;
mod evaluation;
mod id;
mod import;
mod judge;
mod mail;
mod moderation_log;
mod moderation_policy;
mod operator;
mod sample;
mod saved_view;
mod session;
mod user;
mod webhook;

pub(crate) use account::AccountMutation;
pub(crate) use api_key::ApiKeyMutation;
pub(crate) use batch::BatchMutation;
pub(crate) use checkpoint::CheckpointMutation;
pub(crate) use evaluation::EvaluationMutation;
pub(super) use id::parse_id;
pub(crate) use import::ImportMutation;
pub(crate) use judge::JudgeMutation;
pub(crate) use mail::MailMutation;
pub(crate) use moderation_log::ModerationLogMutation;
pub(crate) use moderation_policy::ModerationPolicyMutation;
pub(crate) use operator::OperatorMutation;
pub(crate) use sample::SampleMutation;
pub(crate) use saved_view::SavedViewMutation;
pub(crate) use session::SessionMutation;
pub(crate) use user::UserMutation;
pub(crate) use webhook::WebhookMutation;
