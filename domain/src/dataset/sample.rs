//! A sample with its answers, as it is read. Knows who may see it; changes nothing.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use entity::{sample, sample_answer};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder};
use serde_json::{Map, Value};

use crate::{
    Code, Error, Result,
    amount::Amount,
    database::Database,
    id::{AccountId, JudgeId, SampleId},
    sample::Source,
};

/// Keys in one statement: databases bound how many values that may have.
const AT_ONCE: usize = 20_000;
/// More than any probability: samples of which nothing is known come after all others.
const UNKNOWN: f64 = 2.0;

/// What a Judge saw and said, or what was imported for it.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// `sample_…`
    pub id: SampleId,
    /// Its place among all samples.
    pub seq: i64,
    /// Whose.
    pub account: AccountId,
    /// In whose dataset.
    pub judge: JudgeId,
    /// The version that was asked.
    pub version: i32,
    /// Where it came from.
    pub source: Source,
    /// `req_…` of the inference.
    pub request_id: Option<String>,
    /// Hex SHA-256 of state, and of instructions of its own.
    pub content_hash: String,
    /// What was decided about.
    pub state: Value,
    /// The request's own instructions; none when they were the Judge's.
    pub instructions: Option<Value>,
    /// Which model answered.
    pub model: Option<String>,
    /// Who answered.
    pub backend: Option<String>,
    /// How long that took, in milliseconds.
    pub latency_ms: Option<f64>,
    /// What it cost.
    pub credits: Amount,
    /// The least probability of a most probable answer.
    pub certainty: Option<f64>,
    /// How many keys have a ground truth.
    pub labels: i32,
    /// Who is reviewing it, and until when; it may be over.
    pub claim: Option<Claim>,
    /// When it was recorded or imported.
    pub created_at: DateTime<Utc>,
    /// By key, in the instructions' order.
    pub answers: Vec<SampleAnswer>,
}

/// That somebody is reviewing a sample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// `user_…` or `key_…`.
    pub by: String,
    /// Until when, by the database's clock.
    pub until: DateTime<Utc>,
}

/// One key of a sample.
#[derive(Clone, Debug, PartialEq)]
pub struct SampleAnswer {
    /// The instruction's key.
    pub key: String,
    /// `choice`, `score`, `noul` or `text`.
    pub kind: String,
    /// What was answered, as a ground truth would be written; none for words, or without an answer.
    pub value: Option<String>,
    /// The answer as the wire shows it; none without one.
    pub answer: Option<Value>,
    /// How probable `value` was said to be; none when it abstained.
    pub probability: Option<f64>,
    /// A probability for each possible value.
    pub probabilities: Option<Map<String, Value>>,
    /// What a person says it should be.
    pub truth: Option<Truth>,
}

/// What a person says an answer should be.
#[derive(Clone, Debug, PartialEq)]
pub struct Truth {
    /// One of the instruction's values.
    pub value: String,
    /// How probable it was said to be.
    pub probability: Option<f64>,
    /// `user_…` or `key_…`.
    pub by: String,
    /// When.
    pub at: DateTime<Utc>,
}

/// Where a sample stands in lists of any order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// The bits of its certainty, or of a number above all certainties.
    pub certainty: u64,
    /// Its `seq`.
    pub seq: i64,
}

impl Sample {
    /// Where it stands.
    pub fn place(&self) -> Place {
        Place { certainty: self.certainty.unwrap_or(UNKNOWN).to_bits(), seq: self.seq }
    }
}

impl SampleId {
    /// Reads an id a client sent: one of another form is a sample that does not exist.
    ///
    /// # Errors
    /// `NOT_FOUND`.
    pub fn sent(text: &str) -> Result<Self> {
        Self::read(text).ok_or_else(no_sample)
    }
}

/// One sample of an account.
///
/// # Errors
/// `NOT_FOUND` without it, in the same words for one of another account.
pub async fn find(db: &Database, account: &AccountId, id: &SampleId) -> Result<Sample> {
    let found = find_many(db, account, std::slice::from_ref(id)).await?;
    found.into_iter().next().ok_or_else(no_sample)
}

/// Those of some samples that there are in an account, in their order.
pub async fn find_many(db: &Database, account: &AccountId, ids: &[SampleId]) -> Result<Vec<Sample>> {
    let mut found = Vec::with_capacity(ids.len());
    for ids in ids.chunks(AT_ONCE) {
        let rows = sample::Entity::find()
            .filter(sample::Column::AccountId.eq(account.as_str()))
            .filter(sample::Column::Id.is_in(ids.iter().map(SampleId::as_str)));
        found.extend(db.in_time(rows.all(db.read())).await?);
    }
    let place: HashMap<&str, usize> = ids.iter().enumerate().map(|(i, id)| (id.as_str(), i)).collect();
    found.sort_by_key(|row| place.get(row.id.as_str()).copied());
    with_answers(db, found).await
}

/// Rows with their answers: one statement, however many they are.
pub(super) async fn with_answers(db: &Database, rows: Vec<sample::Model>) -> Result<Vec<Sample>> {
    let mut answers: HashMap<i64, Vec<SampleAnswer>> = HashMap::with_capacity(rows.len());
    for rows in rows.chunks(AT_ONCE) {
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

pub(super) fn no_sample() -> Error {
    Error::new(Code::NotFound, "there is no such sample")
}

/// The time that milliseconds since 1970 stand for.
pub(super) fn at_ms(ms: i64) -> DateTime<Utc> {
    DateTime::from_timestamp_millis(ms).unwrap_or_default()
}

fn read(row: sample::Model, answers: Vec<SampleAnswer>) -> Result<Sample> {
    let claim = row.claimed_by.zip(row.claimed_until);
    Ok(Sample {
        id: SampleId::from(row.id),
        seq: row.seq,
        account: AccountId::from(row.account_id),
        judge: JudgeId::from(row.judge_id),
        version: row.judge_version,
        source: if row.source == Source::Import.as_str() { Source::Import } else { Source::Inference },
        request_id: row.request_id,
        content_hash: row.content_hash,
        state: parse(&row.state)?,
        instructions: row.instructions.as_deref().map(parse).transpose()?,
        model: row.model,
        backend: row.backend,
        latency_ms: row.latency_ms,
        credits: Amount::from_milli(row.credits),
        certainty: row.certainty,
        labels: row.labels,
        claim: claim.map(|(by, until)| Claim { by, until: at_ms(until) }),
        created_at: row.created_at,
        answers,
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
