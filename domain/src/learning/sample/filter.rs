//! The sample filter that lists, exports, purges and statistics share.

use chrono::{DateTime, Utc};
use entity::sample;
use sea_orm::{
    ColumnTrait, Condition,
    sea_query::{Expr, ExprTrait},
};

use super::Source;

/// Selects samples of a dataset; a field that is `None` does not filter.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct SampleFilter {
    /// Recorded or imported at this time or later.
    pub since: Option<DateTime<Utc>>,
    /// Recorded or imported before this time.
    pub until: Option<DateTime<Utc>>,
    /// The version of the Judge.
    pub version: Option<i32>,
    pub source: Option<Source>,
    /// True: samples with a ground truth for at least one key. False: samples without any.
    pub labelled: Option<bool>,
}

impl SampleFilter {
    /// The filter as an SQL condition on `sample`.
    pub(crate) fn condition(&self) -> Condition {
        use sample::Column;
        Condition::all()
            .add_option(self.since.map(|since| Column::CreatedAt.gte(since)))
            .add_option(self.until.map(|until| Column::CreatedAt.lt(until)))
            .add_option(self.version.map(|version| Column::JudgeVersion.eq(version)))
            .add_option(self.source.map(|source| Column::Source.eq(<&str>::from(source))))
            .add_option(self.labelled.map(|labelled| match labelled {
                true => Column::Labels.gt(0),
                false => unlabelled(),
            }))
    }
}

/// The condition `labels = 0` as a literal, as the partial index has it; a bound parameter would not use the index.
pub(crate) fn unlabelled() -> Expr {
    Expr::col((sample::Entity, sample::Column::Labels)).eq(Expr::Constant(0.into()))
}
