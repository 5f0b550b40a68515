//! Reads samples with their answers, within one account. Changes nothing.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use entity::{sample, sample_answer};
use sea_orm::{ColumnTrait, Condition, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use serde_json::{Map, Value};

use super::{Datasets, SampleOrder, SamplePosition};
use crate::{
    Error, Result,
    foundation::database::Database,
    learning::sample::{ModerationRecord, Source, stored_bytes},
    money::amount::Amount,
};
use ports::id::{AccountId, CheckpointId, DatasetId, SampleId};

/// Ids per query: databases limit the bound parameters.
const IDS_PER_QUERY: usize = 20_000;
/// Above every probability, so that samples without a certainty come last.
const NO_CERTAINTY: f64 = 2.0;

/// A recorded inference of a Judge, or an imported sample.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// `sample_…`
    pub id: SampleId,
    /// Position among all samples.
    pub seq: i64,
    pub account: AccountId,
    pub dataset: DatasetId,
    /// The version of the Judge.
    pub version: i32,
    pub source: Source,
    /// `req_…` of the inference.
    pub request_id: Option<String>,
    /// Hex SHA-256 of the state, and of the sample's own instructions.
    pub content_hash: String,
    /// The input of the decision.
    pub state: Value,
    /// The request's own instructions; `None` when they were the Judge's.
    pub instructions: Option<Value>,
    pub model: Option<String>,
    pub backend: Option<String>,
    /// Milliseconds.
    pub latency_ms: Option<f64>,
    /// The Checkpoint that answered.
    pub checkpoint: Option<CheckpointId>,
    pub credits: Amount,
    /// The smallest, over the keys, of the probability of the most probable answer.
    pub certainty: Option<f64>,
    /// The number of keys with a ground truth.
    pub labels: i32,
    /// The review claim; it may have expired.
    pub claim: Option<Claim>,
    /// The time of the inference or import.
    pub created_at: DateTime<Utc>,
    /// Answers by key, in the order of the instructions.
    pub answers: Vec<SampleAnswer>,
    /// The verdict on a message of a moderation log.
    pub moderation: Option<ModerationRecord>,
    /// `user_…` of the person who is to decide.
    pub assigned_to: Option<String>,
}

/// A reviewer's claim on a sample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// `user_…` or `key_…`.
    pub by: String,
    /// Expiry, by the database's clock.
    pub until: DateTime<Utc>,
}

/// The answer and ground truth under one key.
#[derive(Clone, Debug, PartialEq)]
pub struct SampleAnswer {
    pub key: String,
    /// `choice`, `score`, `noul` or `text`.
    pub kind: String,
    /// The answer in the form of a ground truth; `None` for free text and without an answer.
    pub value: Option<String>,
    /// The answer in wire form; `None` without one.
    pub answer: Option<Value>,
    /// The probability of `value`; `None` when the model abstained.
    pub probability: Option<f64>,
    /// The probability of each possible value.
    pub probabilities: Option<Map<String, Value>>,
    pub truth: Option<Truth>,
}

/// A ground truth, set by a reviewer.
#[derive(Clone, Debug, PartialEq)]
pub struct Truth {
    /// One of the question's values.
    pub value: String,
    /// The probability that the model gave to `value`.
    pub probability: Option<f64>,
    /// `user_…` or `key_…`.
    pub by: String,
    pub at: DateTime<Utc>,
}

impl Sample {
    pub fn position(&self, order: SampleOrder) -> SamplePosition {
        let rank = match order {
            SampleOrder::NewestFirst | SampleOrder::OldestFirst => 0.0,
            SampleOrder::LeastCertainFirst => self.certainty.unwrap_or(NO_CERTAINTY),
            SampleOrder::MostSevereFirst => self.moderation.as_ref().map_or(0.0, |it| it.threat_score),
        };
        SamplePosition { rank: rank.to_bits(), seq: self.seq }
    }
}

impl Datasets {
    /// Reads one sample of an account.
    ///
    /// # Errors
    /// `NOT_FOUND` without it, with the same message for a sample of another account.
    pub async fn find(&self, account: &AccountId, id: &SampleId) -> Result<Sample> {
        let found = self.find_many(account, std::slice::from_ref(id)).await?;
        found.into_iter().next().ok_or_else(|| Error::not_found("sample"))
    }

    /// The bytes that samples of an account take in the database.
    pub async fn bytes(&self, account: &AccountId, ids: &[SampleId]) -> Result<usize> {
        let rows = sample::Entity::find()
            .select_only()
            .expr_as(stored_bytes(Condition::all()), "bytes")
            .filter(sample::Column::AccountId.eq(account.as_str()))
            .filter(sample::Column::Id.is_in(ids.iter().map(SampleId::as_str)))
            .into_tuple::<i64>();
        let bytes: i64 = self.db.in_time(rows.all(self.db.read())).await?.into_iter().sum();
        Ok(usize::try_from(bytes).unwrap_or(usize::MAX))
    }

    /// Reads samples of an account, in the order of `ids`; ids that do not exist are left out.
    pub async fn find_many(&self, account: &AccountId, ids: &[SampleId]) -> Result<Vec<Sample>> {
        let mut found = Vec::with_capacity(ids.len());
        for ids in ids.chunks(IDS_PER_QUERY) {
            let rows = sample::Entity::find()
                .filter(sample::Column::AccountId.eq(account.as_str()))
                .filter(sample::Column::Id.is_in(ids.iter().map(SampleId::as_str)));
            found.extend(self.db.in_time(rows.all(self.db.read())).await?);
        }
        let order: HashMap<&str, usize> = ids.iter().enumerate().map(|(i, id)| (id.as_str(), i)).collect();
        found.sort_by_key(|row| order.get(row.id.as_str()).copied());
        with_answers(&self.db, found).await
    }
}

/// Adds the answers to sample rows, with one statement per chunk.
pub(super) async fn with_answers(db: &Database, rows: Vec<sample::Model>) -> Result<Vec<Sample>> {
    let mut answers: HashMap<i64, Vec<SampleAnswer>> = HashMap::with_capacity(rows.len());
    for rows in rows.chunks(IDS_PER_QUERY) {
        let found = sample_answer::Entity::find()
            .filter(sample_answer::Column::SampleSeq.is_in(rows.iter().map(|row| row.seq)))
            .order_by_asc(sample_answer::Column::SampleSeq)
            .order_by_asc(sample_answer::Column::Position)
            .order_by_asc(sample_answer::Column::Key);
        for row in db.in_time(found.all(db.read())).await? {
            answers.entry(row.sample_seq).or_default().push(read_answer(row)?);
        }
    }
    rows.into_iter()
        .map(|row| {
            let answers = answers.remove(&row.seq).unwrap_or_default();
            read(row, answers)
        })
        .collect()
}

/// Converts milliseconds since 1970.
pub(super) fn at_ms(ms: i64) -> DateTime<Utc> {
    DateTime::from_timestamp_millis(ms).unwrap_or_default()
}

fn read(row: sample::Model, answers: Vec<SampleAnswer>) -> Result<Sample> {
    let moderation = ModerationRecord::read(&row)?;
    let claim = row.claimed_by.zip(row.claimed_until);
    Ok(Sample {
        id: SampleId::from(row.id),
        seq: row.seq,
        account: AccountId::from(row.account_id),
        dataset: DatasetId::from(row.judge_id),
        version: row.judge_version,
        source: row.source.parse().map_err(Error::internal)?,
        request_id: row.request_id,
        content_hash: row.content_hash,
        state: parse(&row.state)?,
        instructions: row.instructions.as_deref().map(parse).transpose()?,
        model: row.model,
        backend: row.backend,
        latency_ms: row.latency_ms,
        checkpoint: row.checkpoint_id.map(CheckpointId::from),
        credits: Amount::from_milli(row.credits),
        certainty: row.certainty,
        labels: row.labels,
        claim: claim.map(|(by, until)| Claim { by, until: at_ms(until) }),
        created_at: row.created_at,
        answers,
        moderation,
        assigned_to: row.assigned_to,
    })
}

fn read_answer(row: sample_answer::Model) -> Result<SampleAnswer> {
    let probability = row.truth_probability;
    let truth = row.truth.zip(row.truth_by).zip(row.truth_at);
    Ok(SampleAnswer {
        key: row.key,
        kind: row.kind,
        value: row.value,
        answer: row.answer.as_deref().map(parse).transpose()?,
        probability: row.probability,
        probabilities: row.probabilities.as_deref().map(parse).transpose()?,
        truth: truth.map(|((value, by), at)| Truth { value, probability, by, at }),
    })
}

fn parse<T: serde::de::DeserializeOwned>(json: &str) -> Result<T> {
    serde_json::from_str(json).map_err(Error::internal)
}
