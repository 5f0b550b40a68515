//! The kinds of changes that the audit log holds.

use crate::{Error, Result};

/// Defines the actions with their names in the database.
macro_rules! actions {
    ($($variant:ident = $name:literal,)+) => {
        /// The kind of a change.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Action {
            $($variant,)+
        }

        impl Action {
            /// All of them.
            pub const ALL: &[Action] = &[$(Action::$variant,)+];

            /// The name in the database: a noun and a verb.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Action::$variant => $name,)+
                }
            }
        }
    };
}

actions! {
    AccountCreate = "account.create",
    AccountUpdate = "account.update",
    AccountErase = "account.erase",
    UserSignUp = "user.sign_up",
    UserCreate = "user.create",
    UserInvite = "user.invite",
    InviteRevoke = "invite.revoke",
    UserSetRole = "user.set_role",
    UserRemove = "user.remove",
    UserChangePassword = "user.change_password",
    UserResetPassword = "user.reset_password",
    UserSetOperator = "user.set_operator",
    SessionBegin = "session.begin",
    SessionEnd = "session.end",
    ApiKeyCreate = "api_key.create",
    ApiKeyUpdate = "api_key.update",
    ApiKeyRevoke = "api_key.revoke",
    JudgeCreate = "judge.create",
    JudgeUpdate = "judge.update",
    JudgeArchive = "judge.archive",
    JudgeUnarchive = "judge.unarchive",
    SampleClaim = "sample.claim",
    SampleRelease = "sample.release",
    SampleReclassify = "sample.reclassify",
    SampleClearGroundTruth = "sample.clear_ground_truth",
    SampleUndo = "sample.undo",
    SamplePurge = "sample.purge",
    DatasetImport = "dataset.import",
    CheckpointSubmit = "checkpoint.submit",
    CheckpointCancel = "checkpoint.cancel",
    CheckpointActivate = "checkpoint.activate",
    CheckpointDeactivate = "checkpoint.deactivate",
    EvaluationStart = "evaluation.start",
    EvaluationCancel = "evaluation.cancel",
    ModerationLogSet = "moderation_log.set",
    ModerationFeedback = "moderation.feedback",
    ModerationPolicyCreate = "moderation_policy.create",
    ModerationPolicyUpdate = "moderation_policy.update",
    ModerationPolicyArchive = "moderation_policy.archive",
    ModerationPolicyUnarchive = "moderation_policy.unarchive",
    WebhookCreate = "webhook.create",
    WebhookUpdate = "webhook.update",
    WebhookDelete = "webhook.delete",
    WebhookDisable = "webhook.disable",
    WebhookRotateSecret = "webhook.rotate_secret",
    WebhookTest = "webhook.test",
    WebhookRedeliver = "webhook.redeliver",
    CreditsGrant = "credits.grant",
    PriceSet = "price.set",
    JobRetry = "job.retry",
    JobCancel = "job.cancel",
}

impl Action {
    /// Parses a name from the database.
    pub(super) fn parse(name: &str) -> Result<Self> {
        let known = Action::ALL.iter().find(|known| known.as_str() == name);
        known.copied().ok_or_else(|| Error::internal(format!("`{name}` is no action")))
    }
}
