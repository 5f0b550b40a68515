//! The port to the moderation logs of accounts: where verdicts are recorded, so that moderators can correct them.

use std::sync::Arc;

use async_trait::async_trait;

use super::{
    ShadowVerdict, TextMessage, Verdict,
    image::{ImageVerdict, PictureFile, PictureSender},
};
use crate::{
    Result,
    money::{amount::Amount, credits::SideRow},
};
use ports::id::{AccountId, ModerationId};

/// The moderation logs of all accounts.
#[async_trait]
pub trait VerdictLogs: Send + Sync + 'static {
    /// The log of an account; none unless the account has turned it on.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` when the database does not answer.
    async fn of(&self, account: &AccountId) -> Result<Option<Arc<dyn VerdictLog>>>;
}

/// The moderation log of an account.
pub trait VerdictLog: Send + Sync + 'static {
    /// Builds the row that records a verdict in the commit of its charge.
    fn record(&self, verdict: RecordedVerdict<'_>) -> SideRow;

    /// Builds the row that records the verdict on a picture in the commit of its charge.
    fn record_picture(&self, picture: RecordedPicture<'_>) -> SideRow;
}

/// A verdict to record.
pub struct RecordedVerdict<'a> {
    /// The id that feedback names.
    pub id: &'a ModerationId,
    pub message: &'a TextMessage,
    pub verdict: &'a Verdict,
    /// What the shadow version of its policy would have done.
    pub shadow: Option<ShadowVerdict>,
    /// Milliseconds of the request.
    pub latency_ms: f64,
    /// Its part of the charge.
    pub credits: Amount,
}

/// A verdict on a picture to record.
pub struct RecordedPicture<'a> {
    /// The id that feedback names.
    pub id: &'a ModerationId,
    pub file: &'a PictureFile,
    pub sender: &'a PictureSender,
    pub verdict: &'a ImageVerdict,
    /// Milliseconds of the request.
    pub latency_ms: f64,
    /// Its part of the charge.
    pub credits: Amount,
}
