//! How a Checkpoint's samples are split: those that it was trained on, and its hold-out.

use std::collections::HashSet;

use entity::checkpoint;
use sea_orm::EntityTrait;

use super::{
    hold_out::split,
    snapshot::{Content, SampleSnapshot, Watermark, contents},
};
use crate::{Error, Result, foundation::database::Database, learning::dataset::SampleFilter};
use ports::id::CheckpointId;

/// Maximum labelled samples to read; the newest count.
pub(super) const MAX_SAMPLES: usize = 10_000;

/// The labelled samples of a Checkpoint's snapshot, one for each content.
pub(super) struct TrainingSplit {
    pub(super) training: Vec<Content>,
    pub(super) hold_out: Vec<Content>,
    /// All of them, before those of the same content were folded into one.
    pub(super) labelled: usize,
    /// Whether there are more than [`MAX_SAMPLES`].
    pub(super) more: bool,
}

impl TrainingSplit {
    pub(super) async fn of(db: &Database, row: &checkpoint::Model) -> Result<Self> {
        let account = row.account_id.clone().into();
        let judge = row.judge_id.clone().into();
        let until = Watermark { sample: row.last_sample, label: row.last_label };
        let filter = SampleFilter::default();
        let snapshot = SampleSnapshot { account: &account, judge: &judge, until, filter: &filter };
        let found = contents(db, &snapshot, MAX_SAMPLES).await?;
        let labelled = found.samples.len();
        let (training, hold_out) = split(found.samples);
        Ok(Self { training, hold_out, labelled, more: found.more })
    }
}

/// Which contents a Checkpoint was trained on, and which were held out, by hash.
pub(crate) struct SeenContents {
    trained: HashSet<[u64; 2]>,
    hold_out: HashSet<[u64; 2]>,
    /// `seq` of the newest sample of its snapshot.
    last_sample: i64,
}

impl SeenContents {
    /// Reads them again, as they were when the Checkpoint was submitted; contents that were purged since are left out.
    ///
    /// # Errors
    /// `NOT_FOUND` without the Checkpoint.
    pub(crate) async fn of(db: &Database, id: &CheckpointId) -> Result<Self> {
        let row = checkpoint::Entity::find_by_id(id.as_str()).one(db.read()).await?;
        let row = row.ok_or_else(|| Error::not_found("Checkpoint"))?;
        let TrainingSplit { training, hold_out, .. } = TrainingSplit::of(db, &row).await?;
        Ok(Self { trained: hashes(&training), hold_out: hashes(&hold_out), last_sample: row.last_sample })
    }

    /// Whether it was trained on this content, in this sample or in another.
    pub(crate) fn trained_on(&self, content: &Content) -> bool {
        self.trained.contains(&content.hash)
    }

    /// Whether the sample belongs to its hold-out.
    pub(crate) fn holds_out(&self, content: &Content) -> bool {
        content.seq <= self.last_sample && self.hold_out.contains(&content.hash)
    }

    /// Whether the sample is newer than its snapshot.
    pub(crate) fn is_older_than(&self, content: &Content) -> bool {
        content.seq > self.last_sample
    }
}

fn hashes(contents: &[Content]) -> HashSet<[u64; 2]> {
    contents.iter().map(|content| content.hash).collect()
}
