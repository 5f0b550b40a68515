//! What was answered under each key, and on which day.

use std::collections::{BTreeMap, HashMap};

use chrono::NaiveDate;

use super::select::{Scope, Select, Table, count, day, judge};
use crate::{
    Result,
    database::Database,
    dataset::SampleFilter,
    id::{AccountId, JudgeId},
};

/// What was answered under one key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeyCounts {
    /// Samples that have the key, answered or not.
    pub count: u64,
    /// By day, UTC, and by answer, which is none when the model abstained. Answers in words, and samples without an answer,
    /// are not among them.
    pub days: BTreeMap<(NaiveDate, Option<String>), u64>,
}

impl KeyCounts {
    /// Over all days: abstentions first, then by answer.
    pub fn values(&self) -> Vec<(Option<&str>, u64)> {
        let mut values: BTreeMap<Option<&str>, u64> = BTreeMap::new();
        for ((_, value), count) in &self.days {
            *values.entry(value.as_deref()).or_default() += count;
        }
        values.into_iter().collect()
    }

    /// Samples with an answer other than in words that is no abstention.
    pub fn answered(&self) -> u64 {
        self.days.iter().filter(|((_, value), _)| value.is_some()).map(|(_, count)| count).sum()
    }

    /// Samples on which the model abstained.
    pub fn abstained(&self) -> u64 {
        self.days.iter().filter(|((_, value), _)| value.is_none()).map(|(_, count)| count).sum()
    }
}

/// The answers of some Judges of an account, by key; one without samples is left out.
pub async fn answers(
    db: &Database,
    account: &AccountId,
    judges: &[JudgeId],
    filter: &SampleFilter,
) -> Result<HashMap<JudgeId, BTreeMap<String, KeyCounts>>> {
    let what = format!(
        "s.judge_id, s.key, s.value, {} AS day, COUNT(*) AS answers, COUNT(s.probability) AS sure",
        day(db)
    );
    let mut select = Select::of(Scope { db, account, filter }, &what, Table::Answers, judges);
    select.sql += " GROUP BY 1, 2, 3, 4";
    let mut judges: HashMap<JudgeId, BTreeMap<String, KeyCounts>> = HashMap::new();
    for row in select.rows(db).await? {
        let key = judges.entry(judge(&row)?).or_default().entry(row.try_get("", "key")?).or_default();
        let (answers, sure) = (count(&row, "answers")?, count(&row, "sure")?);
        key.count += answers;
        let Some(value) = row.try_get::<Option<String>>("", "value")? else { continue };
        // Without a probability of its own, an answer abstains, whatever it says.
        let day: NaiveDate = row.try_get("", "day")?;
        for (value, count) in [(Some(value), sure), (None, answers - sure)] {
            if count > 0 {
                *key.days.entry((day, value)).or_default() += count;
            }
        }
    }
    Ok(judges)
}
