//! Samples, labelled samples and credits by day.

use std::collections::HashMap;

use chrono::NaiveDate;

use super::{
    Statistics,
    select::{Scope, Select, Table, count, dataset, day},
};
use crate::{Result, learning::dataset::SampleFilter, money::amount::Amount};
use ports::id::{AccountId, DatasetId};

/// The size of a dataset.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Volume {
    /// UTC days, the earliest first; days without samples are left out.
    pub days: Vec<DayVolume>,
}

/// The samples of one UTC day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DayVolume {
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

impl Statistics {
    /// Reads the volumes of an account's datasets; a dataset without samples is left out.
    pub async fn volumes(
        &self,
        account: &AccountId,
        datasets: &[DatasetId],
        filter: &SampleFilter,
    ) -> Result<HashMap<DatasetId, Volume>> {
        let what = format!(
            "s.judge_id, {} AS day, COUNT(*) AS samples, SUM(CASE WHEN s.labels > 0 THEN 1 ELSE 0 END) AS labelled, \
             CAST(SUM(s.credits) AS BIGINT) AS credits",
            day(&self.db)
        );
        let mut select = Select::of(Scope { db: &self.db, account, filter }, &what, Table::Samples, datasets);
        select.sql += " GROUP BY 1, 2 ORDER BY 1, 2";
        let mut volumes: HashMap<DatasetId, Volume> = HashMap::new();
        for row in select.rows(&self.db, account).await? {
            let day = DayVolume {
                day: row.try_get("", "day")?,
                count: count(&row, "samples")?,
                labelled: count(&row, "labelled")?,
                credits: Amount::from_milli(row.try_get("", "credits")?),
            };
            volumes.entry(dataset(&row)?).or_default().days.push(day);
        }
        Ok(volumes)
    }
}
