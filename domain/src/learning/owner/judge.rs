//! A Judge.

use chrono::{DateTime, Utc};

use super::JudgeVersion;
use ports::decision::CheckpointRef;
use ports::id::{AccountId, JudgeId};

/// A Judge with its newest version.
#[derive(Clone, Debug, PartialEq)]
pub struct Judge {
    /// `judge_…`
    pub id: JudgeId,
    pub account: AccountId,
    pub name: String,
    /// May be empty.
    pub description: String,
    /// True when its requests and answers are recorded.
    pub store_content: bool,
    /// The newest version.
    pub version: JudgeVersion,
    /// The Checkpoint that answers; `None` for the base model.
    pub checkpoint: Option<CheckpointRef>,
    /// Set while the Judge is archived and does not answer.
    pub archived_at: Option<DateTime<Utc>>,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
}
