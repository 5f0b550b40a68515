//! The types of the schema, one file a noun.

mod account;
mod actor;
mod api_key;
mod audit;
mod audit_action;
mod batch;
mod checkpoint;
mod connections;
mod deployed_backend;
mod deployment;
mod evaluation;
mod evaluation_cascade;
mod failed_request;
mod filter;
mod job;
mod judge;
mod label;
mod ledger;
mod lists;
mod moderation_insights;
mod moderation_policy;
mod moderation_record;
mod node;
mod operator;
mod policy_shadow;
mod sample;
mod saved_view;
mod stats;
mod user;
mod viewer;
mod webhook;
mod worker;

pub(crate) use account::Account;
pub(crate) use actor::Actor;
pub(crate) use api_key::{ApiKey, ApiKeyConnection, Scope};
pub(crate) use audit::AuditEntryConnection;
pub(crate) use audit_action::AuditAction;
pub(crate) use batch::{Batch, BatchConnection};
pub(crate) use checkpoint::{Checkpoint, CheckpointConnection, CheckpointEventConnection};
pub(crate) use connections::describe_connections;
pub(crate) use evaluation::{
    Evaluation, EvaluationAnswerConnection, EvaluationChangeConnection, EvaluationComparison,
    EvaluationConnection, EvaluationInput, EvaluationPrice, compared,
};
pub(crate) use evaluation_cascade::EvaluationCascade;
pub(crate) use filter::{SampleFilterInput, SampleSource};
pub(crate) use job::Job;
pub(crate) use judge::{Judge, JudgeConnection};
pub(crate) use ledger::{LedgerEntryConnection, LedgerEntryKind, Usage, UsageBucket, UsageGroup};
pub(crate) use lists::{AnswerFilterInput, SampleFilters};
pub(crate) use moderation_policy::{
    ModerationAction, ModerationPolicy, ModerationPolicyConnection, ModerationPolicyVersionConnection,
    ModerationVerdict, PlainRuleFound,
};
pub(crate) use moderation_record::{ModerationFilterInput, RecordedPolicy};
pub(crate) use node::Node;
pub(crate) use operator::{Customer, Operation, Operator, Price, customers};
pub(crate) use sample::{Sample, SampleConnection};
pub(crate) use saved_view::SavedView;
pub(crate) use stats::JudgeStats;
pub(crate) use user::{Invite, InviteConnection, Role, User, UserConnection};
pub(crate) use viewer::Viewer;
pub(crate) use webhook::{WebhookDelivery, WebhookDeliveryConnection, WebhookEndpoint};
