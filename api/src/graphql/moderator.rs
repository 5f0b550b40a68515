//! What a person with the role moderator may see and do: the account's moderation log, with the policies and people
//! that it names, and the balance.

use std::sync::atomic::{AtomicBool, Ordering};

use async_graphql::extensions::ResolveInfo;
use domain::{Code, Error, Result, foundation::actor::Role};

/// Types that a moderator cannot see, wherever they are reached from.
const HIDDEN_TYPES: [&str; 13] = [
    "ApiKey",
    "AuditEntry",
    "Batch",
    "Checkpoint",
    "Evaluation",
    "EvaluationComparison",
    "Invite",
    "Job",
    "LedgerEntry",
    "Operator",
    "Subscription",
    "WebhookEndpoint",
    "Worker",
];

const QUERIES: [&str; 5] = ["account", "proofOfWorkChallenge", "sample", "sendsEmail", "viewer"];

const MUTATIONS: [&str; 18] = [
    "assignSamples",
    "changePassword",
    "claimSample",
    "clearGroundTruth",
    "endSessions",
    "giveModerationFeedback",
    "reclassifySample",
    "reclassifySamples",
    "releaseSample",
    "removeView",
    "requestPasswordReset",
    "resetPassword",
    "saveView",
    "setMailPreferences",
    "signIn",
    "signOut",
    "signUp",
    "undoReclassification",
];

const ACCOUNT_FIELDS: [&str; 10] = [
    "available",
    "balance",
    "createdAt",
    "held",
    "id",
    "moderationInsights",
    "moderationLog",
    "moderationPolicies",
    "name",
    "users",
];

const JUDGE_JOBS: [&str; 3] = ["activeCheckpoint", "checkpoints", "evaluations"];

/// Whether the current actor of an operation is a moderator.
#[derive(Default)]
pub(super) struct ModeratorLimit(AtomicBool);

impl ModeratorLimit {
    /// Sets the role of the current actor, which a sign-in changes.
    pub(super) fn set(&self, role: Role) {
        self.0.store(role == Role::Moderator, Ordering::Release);
    }

    /// # Errors
    /// `FORBIDDEN` for a moderator, unless the field belongs to the moderation log or to the person's own session.
    pub(super) fn require(&self, field: &ResolveInfo<'_>) -> Result<()> {
        if !self.0.load(Ordering::Acquire) || is_open(field.parent_type, field.name) {
            return Ok(());
        }
        Err(forbidden())
    }
}

/// The error for what a moderator may not see or do.
pub(super) fn forbidden() -> Error {
    Error::new(Code::Forbidden, "people with the role moderator see and change only the moderation log")
}

fn is_open(parent: &str, field: &str) -> bool {
    match parent {
        "Query" => QUERIES.contains(&field) || field.starts_with("__"),
        "Mutation" => MUTATIONS.contains(&field) || field == "__typename",
        "Account" => ACCOUNT_FIELDS.contains(&field),
        "Judge" => !JUDGE_JOBS.contains(&field),
        parent => !HIDDEN_TYPES.contains(&parent),
    }
}
