//! The states of a job, and how it ends.

use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::{Error, Result};

/// The state of a job, and of what it works for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum JobState {
    Queued,
    Running,
    Succeeded,
    Failed,
    Cancelled,
}

impl JobState {
    pub const ALL: &[JobState] = JobState::VARIANTS;
    /// The names of the states of open jobs.
    pub(crate) const OPEN: [&'static str; 2] = ["queued", "running"];

    /// The name in the database.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Parses a name from the database.
    pub(crate) fn parse(name: &str) -> Result<Self> {
        name.parse().map_err(|_| Error::internal(format!("`{name}` is not a state of a job")))
    }
}

/// How a job ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    Succeeded,
    /// The text says why, for the account.
    Failed(String),
    Cancelled,
}

impl Ending {
    pub fn state(&self) -> JobState {
        match self {
            Ending::Succeeded => JobState::Succeeded,
            Ending::Failed(_) => JobState::Failed,
            Ending::Cancelled => JobState::Cancelled,
        }
    }

    /// Why it failed; `None` for other endings.
    pub(crate) fn error(&self) -> Option<&str> {
        match self {
            Ending::Failed(why) => Some(why),
            Ending::Succeeded | Ending::Cancelled => None,
        }
    }
}
