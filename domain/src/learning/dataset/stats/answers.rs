//! Counts of answers by key, value and day.

use std::collections::{BTreeMap, HashMap};

use chrono::NaiveDate;

use super::{
    Statistics,
    select::{Scope, Select, Table, count, dataset, day},
};
use crate::{Result, learning::dataset::SampleFilter};
use ports::id::{AccountId, DatasetId};

/// Counts of the answers under one key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeyCounts {
    /// Samples with the key, answered or not.
    pub count: u64,
    /// Counts by UTC day and value, which is `None` when the model abstained. Free-text answers and samples without
    /// an answer are not counted.
    pub days: BTreeMap<(NaiveDate, Option<String>), u64>,
}

impl KeyCounts {
    /// Counts over all days: abstentions first, then by value.
    pub fn values(&self) -> Vec<(Option<&str>, u64)> {
        let mut values: BTreeMap<Option<&str>, u64> = BTreeMap::new();
        for ((_, value), count) in &self.days {
            *values.entry(value.as_deref()).or_default() += count;
        }
        values.into_iter().collect()
    }

    /// Samples with an answer that is neither free text nor an abstention.
    pub fn answered(&self) -> u64 {
        self.days.iter().filter(|((_, value), _)| value.is_some()).map(|(_, count)| count).sum()
    }

    /// Samples on which the model abstained.
    pub fn abstained(&self) -> u64 {
        self.days.iter().filter(|((_, value), _)| value.is_none()).map(|(_, count)| count).sum()
    }
}

impl Statistics {
    /// Counts the answers of an account's datasets, by key; a dataset without samples is left out.
    pub async fn answers(
        &self,
        account: &AccountId,
        datasets: &[DatasetId],
        filter: &SampleFilter,
    ) -> Result<HashMap<DatasetId, BTreeMap<String, KeyCounts>>> {
        let what = format!(
            "s.judge_id, s.key, s.value, {} AS day, COUNT(*) AS answers, COUNT(s.probability) AS sure",
            day(&self.db)
        );
        let mut select = Select::of(Scope { db: &self.db, account, filter }, &what, Table::Answers, datasets);
        select.sql += " GROUP BY 1, 2, 3, 4";
        let mut found: HashMap<DatasetId, BTreeMap<String, KeyCounts>> = HashMap::new();
        for row in select.rows(&self.db, account).await? {
            let key = found.entry(dataset(&row)?).or_default().entry(row.try_get("", "key")?).or_default();
            let answers = count(&row, "answers")?;
            let sure = count(&row, "sure")?;
            key.count += answers;
            let Some(value) = row.try_get::<Option<String>>("", "value")? else { continue };
            // An answer without a probability is an abstention, whatever its value.
            let day: NaiveDate = row.try_get("", "day")?;
            for (value, count) in [(Some(value), sure), (None, answers - sure)] {
                if count > 0 {
                    *key.days.entry((day, value)).or_default() += count;
                }
            }
        }
        Ok(found)
    }
}
