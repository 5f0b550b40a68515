//! The owner of a dataset, whichever it is.

use chrono::{DateTime, Utc};

use super::{Judge, JudgeVersion, ModerationLog};
use crate::{Code, Error, Result};
use ports::decision::CheckpointRef;
use ports::id::{AccountId, DatasetId};

/// The owner of a dataset.
#[derive(Clone, Debug, PartialEq)]
pub enum DatasetOwner {
    Judge(Judge),
    ModerationLog(ModerationLog),
}

impl DatasetOwner {
    /// The Judge.
    ///
    /// # Errors
    /// `CONFLICT` for a moderation log.
    pub fn into_judge(self) -> Result<Judge> {
        match self {
            Self::Judge(judge) => Ok(judge),
            Self::ModerationLog(_) => Err(not_a_judge()),
        }
    }

    /// The id of the owner and of its dataset.
    pub fn id(&self) -> DatasetId {
        match self {
            Self::Judge(judge) => DatasetId::from(&judge.id),
            Self::ModerationLog(log) => log.id.clone(),
        }
    }

    pub fn account(&self) -> &AccountId {
        match self {
            Self::Judge(judge) => &judge.account,
            Self::ModerationLog(log) => &log.account,
        }
    }

    pub fn name(&self) -> &str {
        match self {
            Self::Judge(judge) => &judge.name,
            Self::ModerationLog(log) => &log.name,
        }
    }

    pub fn description(&self) -> &str {
        match self {
            Self::Judge(judge) => &judge.description,
            Self::ModerationLog(log) => &log.description,
        }
    }

    /// Whether requests and answers are recorded in the dataset.
    pub fn stores_content(&self) -> bool {
        match self {
            Self::Judge(judge) => judge.store_content,
            Self::ModerationLog(log) => log.enabled,
        }
    }

    /// The newest version.
    pub fn version(&self) -> &JudgeVersion {
        match self {
            Self::Judge(judge) => &judge.version,
            Self::ModerationLog(log) => &log.version,
        }
    }

    /// The Checkpoint that answers. A moderation log has none.
    pub fn checkpoint(&self) -> Option<&CheckpointRef> {
        match self {
            Self::Judge(judge) => judge.checkpoint.as_ref(),
            Self::ModerationLog(_) => None,
        }
    }

    /// The time at which a Judge was archived. A moderation log is never archived.
    pub fn archived_at(&self) -> Option<DateTime<Utc>> {
        match self {
            Self::Judge(judge) => judge.archived_at,
            Self::ModerationLog(_) => None,
        }
    }

    pub fn created_at(&self) -> DateTime<Utc> {
        match self {
            Self::Judge(judge) => judge.created_at,
            Self::ModerationLog(log) => log.created_at,
        }
    }

    pub fn updated_at(&self) -> DateTime<Utc> {
        match self {
            Self::Judge(judge) => judge.updated_at,
            Self::ModerationLog(log) => log.updated_at,
        }
    }
}

impl From<Judge> for DatasetOwner {
    fn from(judge: Judge) -> Self {
        Self::Judge(judge)
    }
}

impl From<ModerationLog> for DatasetOwner {
    fn from(log: ModerationLog) -> Self {
        Self::ModerationLog(log)
    }
}

/// The error for a moderation log where a Judge is needed.
pub(super) fn not_a_judge() -> Error {
    let message = "this is the account's moderation log, which is neither asked nor trained, and is changed by \
                   setModerationLog";
    Error::new(Code::Conflict, message)
}
