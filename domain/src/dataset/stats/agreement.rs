//! Answers compared with ground truth, aggregated by the database into one cell per pair of values and confidence
//! bin.

use std::collections::{BTreeMap, HashMap};

use super::{
    measures::{BINS, Cell, Labelled},
    select::{Scope, Select, Table, by_backend, count, judge},
};
use crate::{
    Result,
    database::Database,
    dataset::SampleFilter,
    id::{AccountId, JudgeId},
};

/// Reads the labelled samples of an account's Judges, by key; a key without any is left out.
pub async fn agreements(
    db: &Database,
    account: &AccountId,
    judges: &[JudgeId],
    filter: &SampleFilter,
) -> Result<HashMap<JudgeId, BTreeMap<String, Labelled>>> {
    // A ground truth that is not among the answers has no probability. `CAST` rounds on PostgreSQL and truncates on
    // SQLite.
    let bin = by_backend(
        db,
        "CAST(FLOOR(s.probability * 10) AS BIGINT) AS bin",
        "CAST(s.probability * 10 AS INTEGER) AS bin",
    );
    let what = format!(
        "s.judge_id, s.key, s.truth, s.value, {bin}, COUNT(*) AS answers, SUM(s.probability) AS confidence, \
         SUM(s.squares - 2 * COALESCE(s.truth_probability, 0) + 1) AS brier, COUNT(s.squares) AS scored"
    );
    let mut select = Select::of(Scope { db, account, filter }, &what, Table::Answers, judges);
    select.sql += " AND s.truth IS NOT NULL GROUP BY 1, 2, 3, 4, 5";
    let mut judges: HashMap<JudgeId, BTreeMap<String, Labelled>> = HashMap::new();
    for row in select.rows(db, account).await? {
        let bin: Option<i64> = row.try_get("", "bin")?;
        let cell = Cell {
            truth: row.try_get("", "truth")?,
            value: row.try_get("", "value")?,
            bin: bin.map(|bin| usize::try_from(bin).unwrap_or(0).min(BINS - 1)),
            count: count(&row, "answers")?,
            confidence: row.try_get::<Option<f64>>("", "confidence")?.unwrap_or(0.0),
            brier: row.try_get::<Option<f64>>("", "brier")?.unwrap_or(0.0),
            scored: count(&row, "scored")?,
        };
        judges.entry(judge(&row)?).or_default().entry(row.try_get("", "key")?).or_default().cells.push(cell);
    }
    Ok(judges)
}
