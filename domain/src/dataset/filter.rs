//! Which samples of a dataset: what lists, exports, purges and statistics have in common.

use chrono::{DateTime, Utc};
use entity::sample;
use sea_orm::{ColumnTrait, Condition};

use super::page::unlabelled;
use crate::sample::Source;

/// Which samples; what is none does not matter.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct SampleFilter {
    /// Recorded or imported at this moment or later.
    pub since: Option<DateTime<Utc>>,
    /// Recorded or imported before this moment.
    pub until: Option<DateTime<Utc>>,
    /// Of this version of the Judge.
    pub version: Option<i32>,
    /// From here.
    pub source: Option<Source>,
    /// With a ground truth for at least one key, or without any.
    pub labelled: Option<bool>,
}

impl SampleFilter {
    /// As a condition on `sample`.
    pub(crate) fn condition(&self) -> Condition {
        use sample::Column;
        Condition::all()
            .add_option(self.since.map(|since| Column::CreatedAt.gte(since)))
            .add_option(self.until.map(|until| Column::CreatedAt.lt(until)))
            .add_option(self.version.map(|version| Column::JudgeVersion.eq(version)))
            .add_option(self.source.map(|source| Column::Source.eq(source.as_str())))
            .add_option(self.labelled.map(|labelled| match labelled {
                true => Column::Labels.gt(0),
                false => unlabelled(),
            }))
    }
}
