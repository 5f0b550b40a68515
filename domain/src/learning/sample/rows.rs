//! Writes samples as rows. The caller owns the transaction: for an inference, that of its charge.

use std::collections::{BTreeMap, HashMap};

use chrono::{DateTime, Utc};
use entity::{sample, sample_answer};
use sea_orm::{
    ActiveValue::{self, NotSet, Set},
    ConnectionTrait, DbErr, EntityTrait, QueryTrait,
    sea_query::Query,
};
use serde_json::Value;

use super::{NewAnswer, NewSample, bytes::ROW_BYTES, content_hash, storage};
use crate::money::amount::Amount;
use ports::id::RequestId;

/// Rows per statement: databases limit the bound parameters.
pub(crate) const ROWS_PER_INSERT: usize = 1_000;

/// A sample's row and its answers' rows, whose `sample_seq` is set on insertion.
pub(crate) struct SampleRows {
    pub(crate) sample: sample::ActiveModel,
    pub(crate) answers: Vec<sample_answer::ActiveModel>,
}

impl SampleRows {
    /// The bytes of the sample, as [`stored_bytes`](super::stored_bytes) will count them.
    pub(crate) fn bytes(&self) -> i64 {
        let state = self.sample.state.try_as_ref().map_or(0, String::len);
        let texts = text_bytes(&self.sample.instructions) + text_bytes(&self.sample.verdict);
        let answers = self.answers.iter().map(|row| text_bytes(&row.answer) + text_bytes(&row.probabilities));
        let bytes = state + texts + answers.sum::<usize>();
        i64::try_from(bytes).unwrap_or(i64::MAX - ROW_BYTES) + ROW_BYTES
    }
}

fn text_bytes(column: &ActiveValue<Option<String>>) -> usize {
    column.try_as_ref().and_then(Option::as_ref).map_or(0, String::len)
}

/// Inserts charged samples with their answers, and counts their bytes.
pub(super) async fn insert(
    tx: &impl ConnectionTrait,
    samples: &[(&NewSample, Charged<'_>)],
) -> Result<(), DbErr> {
    let now = Utc::now();
    let mut bytes = BTreeMap::new();
    for samples in samples.chunks(ROWS_PER_INSERT) {
        let rows = samples.iter().map(|(sample, charged)| {
            let at = charged.at.unwrap_or(now);
            let rows = SampleRows {
                sample: row(sample, Some(*charged), at),
                answers: answer_rows(sample, at).collect(),
            };
            *bytes.entry(sample.account.to_string()).or_default() += rows.bytes();
            rows
        });
        write(tx, rows.collect()).await?;
    }
    storage::add(tx, bytes).await
}

/// Inserts at most [`ROWS_PER_INSERT`] samples with all their answers.
pub(crate) async fn write(tx: &impl ConnectionTrait, rows: Vec<SampleRows>) -> Result<(), DbErr> {
    let mut samples = Vec::with_capacity(rows.len());
    let mut answers = Vec::with_capacity(rows.len());
    for rows in rows {
        let id = rows.sample.id.try_as_ref().cloned().ok_or(DbErr::RecordNotInserted)?;
        answers.push((id, rows.answers));
        samples.push(rows.sample);
    }
    let mut insert = sample::Entity::insert_many(samples).into_query();
    insert.returning(Query::returning().columns([sample::Column::Id, sample::Column::Seq]));
    // The database may return the rows in any order.
    let mut seqs = HashMap::with_capacity(answers.len());
    for row in tx.query_all(&insert).await? {
        seqs.insert(row.try_get::<String>("", "id")?, row.try_get::<i64>("", "seq")?);
    }
    let mut of_all = Vec::new();
    for (id, rows) in answers {
        let seq = seqs.get(&id).copied().ok_or(DbErr::RecordNotInserted)?;
        of_all.extend(rows.into_iter().map(|row| sample_answer::ActiveModel { sample_seq: Set(seq), ..row }));
    }
    let mut of_all = of_all.into_iter().peekable();
    while of_all.peek().is_some() {
        let some = of_all.by_ref().take(ROWS_PER_INSERT);
        sample_answer::Entity::insert_many(some).exec_without_returning(tx).await?;
    }
    Ok(())
}

/// The charge that a sample is written with.
#[derive(Clone, Copy)]
pub(super) struct Charged<'a> {
    pub(super) request_id: &'a RequestId,
    pub(super) credits: Amount,
    /// The time of the charge; `None` for that of its commit.
    pub(super) at: Option<DateTime<Utc>>,
}

/// Builds the row of an imported sample.
pub(crate) fn imported_row(sample: &NewSample, now: DateTime<Utc>) -> sample::ActiveModel {
    row(sample, None, now)
}

fn row(sample: &NewSample, charged: Option<Charged<'_>>, now: DateTime<Utc>) -> sample::ActiveModel {
    let certainty = sample.answers.iter().filter_map(NewAnswer::certainty);
    let certainty = certainty.fold(None, |least, p| Some(least.map_or(p, |least: f64| least.min(p))));
    let labels = sample.answers.iter().filter(|answer| answer.truth.is_some()).count();
    let mut row = sample::ActiveModel {
        seq: NotSet,
        id: Set(sample.id.to_string()),
        account_id: Set(sample.account.to_string()),
        judge_id: Set(sample.dataset.to_string()),
        judge_version: Set(sample.version),
        source: Set(sample.source.to_string()),
        request_id: Set(charged.map(|charged| charged.request_id.to_string())),
        content_hash: Set(content_hash(&sample.state, sample.instructions.as_ref())),
        state: Set(sample.state.to_string()),
        instructions: Set(sample.instructions.as_ref().map(Value::to_string)),
        model: Set(sample.model.clone()),
        backend: Set(sample.backend.clone()),
        latency_ms: Set(sample.latency_ms),
        credits: Set(charged.map_or(0, |charged| charged.credits.milli())),
        certainty: Set(certainty),
        labels: Set(i32::try_from(labels).unwrap_or(i32::MAX)),
        claimed_by: Set(None),
        claimed_until: Set(None),
        checkpoint_id: Set(sample.checkpoint.as_ref().map(ToString::to_string)),
        action: Set(None),
        harms: Set(None),
        threat_score: Set(None),
        author: Set(None),
        channel: Set(None),
        language: Set(None),
        policy_id: Set(None),
        verdict: Set(None),
        assigned_to: Set(None),
        shadow_version: Set(None),
        shadow_action: Set(None),
        created_at: Set(now),
    };
    if let Some(moderation) = &sample.moderation {
        let harms = sample.answers.iter().filter(|answer| answer.value.as_deref() == Some("true"));
        moderation.write(harms.map(|answer| answer.key.as_str()), &mut row);
    }
    row
}

/// Builds the rows of a sample's answers, in the order of its keys.
pub(crate) fn answer_rows(
    sample: &NewSample,
    now: DateTime<Utc>,
) -> impl Iterator<Item = sample_answer::ActiveModel> {
    sample.answers.iter().zip(0..).map(move |(answer, position)| {
        let squares = answer
            .probabilities
            .as_ref()
            .map(|all| all.values().filter_map(Value::as_f64).map(|p| p * p).sum::<f64>());
        let truth = answer.truth.as_ref();
        sample_answer::ActiveModel {
            sample_seq: NotSet,
            key: Set(answer.key.clone()),
            position: Set(position),
            judge_id: Set(sample.dataset.to_string()),
            judge_version: Set(sample.version),
            source: Set(sample.source.to_string()),
            created_at: Set(now),
            kind: Set(answer.kind.to_owned()),
            value: Set(answer.value.clone()),
            answer: Set(answer.answer.as_ref().map(Value::to_string)),
            probability: Set(answer.probability),
            probabilities: Set(answer
                .probabilities
                .as_ref()
                .map(|all| Value::Object(all.clone()).to_string())),
            squares: Set(squares),
            server_model: Set(answer.server_model.clone()),
            truth: Set(truth.map(|(truth, _)| truth.clone())),
            truth_probability: Set(truth.and_then(|(truth, _)| answer.probability_of(truth))),
            truth_by: Set(truth.map(|(_, by)| by.clone())),
            truth_at: Set(truth.map(|_| now)),
        }
    })
}
