//! The kinds of changes in the audit log.

use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::{Error, Result};

/// The kind of a change. The names are those in the database: a noun and a verb.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EnumString, IntoStaticStr, VariantArray)]
pub enum Action {
    #[strum(serialize = "account.create")]
    AccountCreate,
    #[strum(serialize = "account.update")]
    AccountUpdate,
    #[strum(serialize = "account.erase")]
    AccountErase,
    #[strum(serialize = "user.sign_up")]
    UserSignUp,
    #[strum(serialize = "user.create")]
    UserCreate,
    #[strum(serialize = "user.invite")]
    UserInvite,
    #[strum(serialize = "invite.revoke")]
    InviteRevoke,
    #[strum(serialize = "user.set_role")]
    UserSetRole,
    #[strum(serialize = "user.remove")]
    UserRemove,
    #[strum(serialize = "user.change_password")]
    UserChangePassword,
    #[strum(serialize = "user.reset_password")]
    UserResetPassword,
    #[strum(serialize = "user.set_operator")]
    UserSetOperator,
    #[strum(serialize = "session.begin")]
    SessionBegin,
    #[strum(serialize = "session.end")]
    SessionEnd,
    #[strum(serialize = "api_key.create")]
    ApiKeyCreate,
    #[strum(serialize = "api_key.update")]
    ApiKeyUpdate,
    #[strum(serialize = "api_key.revoke")]
    ApiKeyRevoke,
    #[strum(serialize = "judge.create")]
    JudgeCreate,
    #[strum(serialize = "judge.update")]
    JudgeUpdate,
    #[strum(serialize = "judge.archive")]
    JudgeArchive,
    #[strum(serialize = "judge.unarchive")]
    JudgeUnarchive,
    #[strum(serialize = "sample.claim")]
    SampleClaim,
    #[strum(serialize = "sample.release")]
    SampleRelease,
    #[strum(serialize = "sample.assign")]
    SampleAssign,
    #[strum(serialize = "sample.reclassify")]
    SampleReclassify,
    #[strum(serialize = "sample.clear_ground_truth")]
    SampleClearGroundTruth,
    #[strum(serialize = "sample.undo")]
    SampleUndo,
    #[strum(serialize = "sample.purge")]
    SamplePurge,
    #[strum(serialize = "dataset.import")]
    DatasetImport,
    #[strum(serialize = "checkpoint.submit")]
    CheckpointSubmit,
    #[strum(serialize = "checkpoint.cancel")]
    CheckpointCancel,
    #[strum(serialize = "checkpoint.activate")]
    CheckpointActivate,
    #[strum(serialize = "checkpoint.deactivate")]
    CheckpointDeactivate,
    #[strum(serialize = "evaluation.start")]
    EvaluationStart,
    #[strum(serialize = "evaluation.cancel")]
    EvaluationCancel,
    #[strum(serialize = "moderation_log.set")]
    ModerationLogSet,
    #[strum(serialize = "moderation.feedback")]
    ModerationFeedback,
    #[strum(serialize = "moderation_policy.create")]
    ModerationPolicyCreate,
    #[strum(serialize = "moderation_policy.update")]
    ModerationPolicyUpdate,
    #[strum(serialize = "moderation_policy.archive")]
    ModerationPolicyArchive,
    #[strum(serialize = "moderation_policy.unarchive")]
    ModerationPolicyUnarchive,
    #[strum(serialize = "webhook.create")]
    WebhookCreate,
    #[strum(serialize = "webhook.update")]
    WebhookUpdate,
    #[strum(serialize = "webhook.delete")]
    WebhookDelete,
    #[strum(serialize = "webhook.disable")]
    WebhookDisable,
    #[strum(serialize = "webhook.rotate_secret")]
    WebhookRotateSecret,
    #[strum(serialize = "webhook.test")]
    WebhookTest,
    #[strum(serialize = "webhook.redeliver")]
    WebhookRedeliver,
    #[strum(serialize = "credits.grant")]
    CreditsGrant,
    #[strum(serialize = "price.set")]
    PriceSet,
    #[strum(serialize = "job.retry")]
    JobRetry,
    #[strum(serialize = "job.cancel")]
    JobCancel,
}

impl Action {
    /// Every action.
    pub const ALL: &[Action] = Action::VARIANTS;

    /// The name in the database.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Parses a name from the database.
    pub(super) fn parse(name: &str) -> Result<Self> {
        name.parse().map_err(|_| Error::internal(format!("unknown action `{name}`")))
    }
}
