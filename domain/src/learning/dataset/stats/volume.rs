//! Samples, labelled samples and credits by day.

use std::collections::HashMap;

use chrono::NaiveDate;

use super::select::{Scope, Select, Table, count, day, judge};
use crate::{Result, foundation::database::Database, learning::dataset::SampleFilter, money::amount::Amount};
use ports::id::{AccountId, JudgeId};

/// The size of a dataset.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Volume {
    /// UTC days, the earliest first; days without samples are left out.
    pub days: Vec<Day>,
}

/// The samples of one UTC day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Day {
    pub day: NaiveDate,
    /// Number of samples.
    pub count: u64,
    /// Samples with a ground truth for at least one key.
    pub labelled: u64,
    /// Credits charged.
    pub credits: Amount,
}

impl Volume {
    /// Number of samples.
    pub fn count(&self) -> u64 {
        self.days.iter().map(|day| day.count).sum()
    }

    /// Samples with a ground truth for at least one key.
    pub fn labelled(&self) -> u64 {
        self.days.iter().map(|day| day.labelled).sum()
    }

    /// Credits charged.
    pub fn credits(&self) -> Amount {
        Amount::from_milli(self.days.iter().map(|day| day.credits.milli()).sum())
    }
}

/// Reads the volumes of an account's Judges; a Judge without samples is left out.
pub async fn volumes(
    db: &Database,
    account: &AccountId,
    judges: &[JudgeId],
    filter: &SampleFilter,
) -> Result<HashMap<JudgeId, Volume>> {
    let what = format!(
        "s.judge_id, {} AS day, COUNT(*) AS samples, SUM(CASE WHEN s.labels > 0 THEN 1 ELSE 0 END) AS labelled, \
         CAST(SUM(s.credits) AS BIGINT) AS credits",
        day(db)
    );
    let mut select = Select::of(Scope { db, account, filter }, &what, Table::Samples, judges);
    select.sql += " GROUP BY 1, 2 ORDER BY 1, 2";
    let mut volumes: HashMap<JudgeId, Volume> = HashMap::new();
    for row in select.rows(db, account).await? {
        let day = Day {
            day: row.try_get("", "day")?,
            count: count(&row, "samples")?,
            labelled: count(&row, "labelled")?,
            credits: Amount::from_milli(row.try_get("", "credits")?),
        };
        volumes.entry(judge(&row)?).or_default().days.push(day);
    }
    Ok(volumes)
}
