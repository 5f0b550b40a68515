//! Which labelled samples an evaluation reads, by what the Checkpoint that answers was trained on.

use std::collections::HashSet;

use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::{
    Error, Result,
    foundation::database::Database,
    learning::checkpoint::{Content, SeenContents},
};
use ports::id::CheckpointId;

/// Which labelled samples an evaluation reads. Its text is the name in the database and on the wire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
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
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The scope of a name.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` with all names.
    pub fn read(name: &str) -> Result<Self> {
        name.parse().map_err(|_| Error::invalid("scope", format!("must be one of: {}", Self::names())))
    }

    /// The scope of a row.
    pub(super) fn of_row(name: &str) -> Result<Self> {
        name.parse().map_err(Error::internal)
    }

    /// All names, for messages.
    pub(super) fn names() -> String {
        let names: Vec<&str> = Self::VARIANTS.iter().map(<&str>::from).collect();
        names.join(", ")
    }

    /// Keeps the samples of this scope, and returns the `seq` of each that the Checkpoint was trained on.
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
            Self::New => seen.is_older_than(sample) && !seen.trained_on(sample),
            Self::All => true,
        });
        Ok(samples.iter().filter(|sample| seen.trained_on(sample)).map(|sample| sample.seq).collect())
    }
}
