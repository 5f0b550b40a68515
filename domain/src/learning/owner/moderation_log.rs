//! A moderation log.

use chrono::{DateTime, Utc};

use super::JudgeVersion;
use ports::id::{AccountId, DatasetId};

/// The moderation log of an account, of which there is at most one: its samples are moderated messages. It answers no
/// questions and has no Checkpoints.
#[derive(Clone, Debug, PartialEq)]
pub struct ModerationLog {
    /// `judge_…`
    pub id: DatasetId,
    pub account: AccountId,
    pub name: String,
    pub description: String,
    /// True while moderated messages are recorded.
    pub enabled: bool,
    /// The number of days after which samples are deleted; `None` for never.
    pub retention_days: Option<i32>,
    /// The questions that a moderator may label, in their newest version.
    pub version: JudgeVersion,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
}
