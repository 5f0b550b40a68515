//! Which labelled samples an evaluation reads, by what the Checkpoint that answers was trained on.

use std::collections::HashSet;

use crate::{
    Error, Result,
    foundation::database::Database,
    learning::checkpoint::{Content, SeenContents},
};
use ports::id::CheckpointId;

/// Which labelled samples an evaluation reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EvaluationScope {
    /// Those that the Checkpoint was not trained on; without a Checkpoint, all.
    #[default]
    Unseen,
    /// Those that were held out of the Checkpoint's training.
    HeldOut,
    /// Those recorded or imported since the Checkpoint was submitted, whose content it was not trained on.
    New,
    /// All. Answers about those that it was trained on are kept apart from the others.
    All,
}

impl EvaluationScope {
    pub const ALL: [Self; 4] = [Self::Unseen, Self::HeldOut, Self::New, Self::All];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unseen => "unseen",
            Self::HeldOut => "held_out",
            Self::New => "new",
            Self::All => "all",
        }
    }

    /// The scope of this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.as_str() == name)
    }

    /// The scope of a row.
    pub(super) fn of_row(name: &str) -> Result<Self> {
        Self::parse(name).ok_or_else(|| Error::internal(format!("there is no scope {name}")))
    }

    /// Removes the samples outside this scope. Returns `seq` of those that the Checkpoint was trained on.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` for a scope that only a Checkpoint has.
    pub(super) async fn restrict(
        self,
        samples: &mut Vec<Content>,
        db: &Database,
        checkpoint: Option<&CheckpointId>,
    ) -> Result<HashSet<i64>> {
        let Some(checkpoint) = checkpoint else {
            return match self {
                Self::Unseen | Self::All => Ok(HashSet::new()),
                Self::HeldOut | Self::New => {
                    Err(Error::invalid("scope", "must be unseen or all where no Checkpoint answers"))
                }
            };
        };
        let seen = SeenContents::of(db, checkpoint).await?;
        samples.retain(|sample| match self {
            Self::Unseen => !seen.trained_on(sample),
            Self::HeldOut => seen.holds_out(sample),
            Self::New => seen.precedes(sample) && !seen.trained_on(sample),
            Self::All => true,
        });
        Ok(samples.iter().filter(|sample| seen.trained_on(sample)).map(|sample| sample.seq).collect())
    }
}
