//! Answers compared with ground truth, aggregated by the database into one cell per pair of values and confidence bin.
//!
//! A sample that was imported with its ground truth has no answer of its own until a request asks about it; it takes
//! that of its Judge's latest evaluation.

use std::collections::{BTreeMap, HashMap};

use sea_orm::QueryResult;

use super::{
    Statistics,
    select::{Scope, Select, Table, by_backend, count, dataset},
};
use crate::{
    Result,
    foundation::database::Database,
    learning::{
        agreement::{BINS, Cell, Labelled},
        dataset::SampleFilter,
    },
};
use ports::id::{AccountId, DatasetId};

impl Statistics {
    /// Reads the labelled samples of an account's datasets, by key; a key without any is left out.
    pub async fn agreements(
        &self,
        account: &AccountId,
        datasets: &[DatasetId],
        filter: &SampleFilter,
    ) -> Result<HashMap<DatasetId, BTreeMap<String, Labelled>>> {
        let scope = Scope { db: &self.db, account, filter };
        let mut found: HashMap<DatasetId, BTreeMap<String, Labelled>> = HashMap::new();
        for row in recorded(scope, datasets).rows(&self.db, account).await? {
            let labelled =
                found.entry(dataset(&row)?).or_default().entry(row.try_get("", "key")?).or_default();
            labelled.cells.push(cell(&row)?);
        }
        // Without any label there is nothing to compare.
        if found.is_empty() {
            return Ok(found);
        }
        for row in evaluated(scope, datasets).rows(&self.db, account).await? {
            let labelled =
                found.entry(dataset(&row)?).or_default().entry(row.try_get("", "key")?).or_default();
            labelled.answer_by_evaluation(cell(&row)?);
        }
        Ok(found)
    }
}

/// The samples with the answers that were recorded with them, if there are any.
fn recorded(scope: Scope<'_>, datasets: &[DatasetId]) -> Select {
    // A ground truth that is not among the answers has no probability.
    let what = format!(
        "s.judge_id, s.key, s.truth, s.value, {}, COUNT(*) AS answers, SUM(s.probability) AS confidence, \
         SUM(s.squares - 2 * COALESCE(s.truth_probability, 0) + 1) AS brier, COUNT(s.squares) AS scored",
        bin(scope.db, "s")
    );
    let mut select = Select::of(scope, &what, Table::Answers, datasets);
    select.sql += " AND s.truth IS NOT NULL GROUP BY 1, 2, 3, 4, 5";
    select
}

/// The samples without a recorded answer, with those of their Judge's latest evaluation: of the filter's version, if it
/// has one. Samples that its Checkpoint was trained on are left out. Begins with the few rows of that evaluation.
fn evaluated(scope: Scope<'_>, datasets: &[DatasetId]) -> Select {
    // A ground truth that was changed since has no known probability.
    let brier = "CASE WHEN e.truth = s.truth THEN e.brier END";
    let mut select = Select::new(scope.db);
    let version =
        scope.filter.version.map(|version| format!(" AND judge_version = {}", select.bind(version)));
    let ids: Vec<_> = datasets.iter().map(|dataset| select.bind(dataset.as_str())).collect();
    select.sql = format!(
        "SELECT s.judge_id, s.key, s.truth, e.value, {}, COUNT(*) AS answers, SUM(e.probability) AS confidence, \
         SUM({brier}) AS brier, COUNT({brier}) AS scored \
         FROM (SELECT judge_id, MAX(id) AS id FROM evaluation WHERE state = 'succeeded' AND judge_id IN ({}){} \
             GROUP BY judge_id) v \
         JOIN judge j ON j.id = v.judge_id \
         JOIN evaluation_answer e ON e.evaluation_id = v.id AND e.value IS NOT NULL AND NOT e.trained \
         JOIN sample_answer s ON s.sample_seq = e.sample_seq AND s.key = e.key",
        bin(scope.db, "e"),
        ids.join(", "),
        version.unwrap_or_default(),
    );
    select.within(scope, Table::Answers);
    select.sql += " AND s.truth IS NOT NULL AND s.value IS NULL AND s.kind <> 'text' GROUP BY 1, 2, 3, 4, 5";
    select
}

/// SQL for the bin of an answer's probability.
fn bin(db: &Database, table: &str) -> String {
    // `CAST` rounds on PostgreSQL and truncates on SQLite.
    by_backend(
        db,
        "CAST(FLOOR(s.probability * 10) AS BIGINT) AS bin",
        "CAST(s.probability * 10 AS INTEGER) AS bin",
    )
    .replace("s.probability", &format!("{table}.probability"))
}

fn cell(row: &QueryResult) -> Result<Cell> {
    let bin: Option<i64> = row.try_get("", "bin")?;
    Ok(Cell {
        truth: row.try_get("", "truth")?,
        value: row.try_get("", "value")?,
        bin: bin.map(|bin| usize::try_from(bin).unwrap_or(0).min(BINS - 1)),
        count: count(row, "answers")?,
        confidence: row.try_get::<Option<f64>>("", "confidence")?.unwrap_or(0.0),
        brier: row.try_get::<Option<f64>>("", "brier")?.unwrap_or(0.0),
        scored: count(row, "scored")?,
    })
}
