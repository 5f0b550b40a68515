//! The kinds of changes in the audit log, which `domain::foundation::audit::Action` names.

use async_graphql::Enum;
use domain::foundation::audit::Action;

/// The kind of a change: what was changed, and how.
#[derive(Enum, Clone, Copy, PartialEq, Eq)]
#[graphql(remote = "Action")]
pub(crate) enum AuditAction {
    /// An account was created.
    AccountCreate,
    /// The account was renamed.
    AccountUpdate,
    /// The account was erased.
    AccountErase,
    /// A person signed up.
    UserSignUp,
    /// A person was added by the command line.
    UserCreate,
    /// A person was invited.
    UserInvite,
    /// An invitation was revoked.
    InviteRevoke,
    /// A person got another role.
    UserSetRole,
    /// A person was removed.
    UserRemove,
    /// A person changed the password.
    UserChangePassword,
    /// A password was reset by the command line.
    UserResetPassword,
    /// A person became an operator or stopped being one.
    UserSetOperator,
    /// A person signed in.
    SessionBegin,
    /// Sessions were ended.
    SessionEnd,
    /// An API key was created.
    ApiKeyCreate,
    /// An API key got another default policy.
    ApiKeyUpdate,
    /// An API key was revoked.
    ApiKeyRevoke,
    /// A Judge was created.
    JudgeCreate,
    /// A Judge was changed.
    JudgeUpdate,
    /// A Judge was archived.
    JudgeArchive,
    /// A Judge was taken out of the archive.
    JudgeUnarchive,
    /// A sample was claimed for review.
    SampleClaim,
    /// A claim was released.
    SampleRelease,
    /// Samples were assigned to somebody, or to nobody.
    SampleAssign,
    /// Ground truths were set.
    SampleReclassify,
    /// Ground truths were cleared.
    SampleClearGroundTruth,
    /// A change of ground truths was undone.
    SampleUndo,
    /// Samples were purged.
    SamplePurge,
    /// A file was imported.
    DatasetImport,
    /// A Checkpoint was submitted.
    CheckpointSubmit,
    /// A Checkpoint was cancelled.
    CheckpointCancel,
    /// A Checkpoint was activated.
    CheckpointActivate,
    /// A Checkpoint was deactivated.
    CheckpointDeactivate,
    /// An evaluation was started.
    EvaluationStart,
    /// An evaluation was cancelled.
    EvaluationCancel,
    /// The moderation log was turned on or off, or its retention changed.
    ModerationLogSet,
    /// A verdict was corrected.
    ModerationFeedback,
    /// A moderation policy was created.
    ModerationPolicyCreate,
    /// A moderation policy was changed.
    ModerationPolicyUpdate,
    /// A moderation policy was archived.
    ModerationPolicyArchive,
    /// A moderation policy was taken out of the archive.
    ModerationPolicyUnarchive,
    /// A webhook endpoint was created.
    WebhookCreate,
    /// A webhook endpoint was changed.
    WebhookUpdate,
    /// A webhook endpoint was deleted.
    WebhookDelete,
    /// A webhook endpoint was disabled, since its deliveries failed.
    WebhookDisable,
    /// A webhook endpoint got a new secret.
    WebhookRotateSecret,
    /// A test event was sent to a webhook endpoint.
    WebhookTest,
    /// A webhook delivery was repeated.
    WebhookRedeliver,
    /// An operator granted credits or took some back.
    CreditsGrant,
    /// An operator set a price.
    PriceSet,
    /// An operator retried a background job.
    JobRetry,
    /// An operator cancelled a background job.
    JobCancel,
}
