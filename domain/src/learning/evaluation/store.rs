//! Reads evaluation runs, within one account. Changes nothing.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use entity::evaluation;
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, FromQueryResult, QueryFilter, QuerySelect, QueryTrait, Select,
    sea_query::Expr,
};

use crate::{
    Error, Result,
    background::job::State,
    foundation::{
        database::Database,
        page::{Page, Slice},
        union::{count_all, newest_first},
    },
    learning::agreement::KeyMetrics,
    money::amount::Amount,
};
use ports::id::{AccountId, CheckpointId, EvaluationId, JobId, JudgeId};

/// An evaluation run.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    /// `eval_…`
    pub id: EvaluationId,
    pub account: AccountId,
    pub judge: JudgeId,
    /// The version whose questions are asked.
    pub version: i32,
    /// The Checkpoint that answers; `None` for the model as it is.
    pub checkpoint: Option<CheckpointId>,
    pub state: State,
    pub job: JobId,
    /// The price of a sample.
    pub price: Amount,
    /// Samples when it was started.
    pub samples: u64,
    /// Samples that were answered, and charged.
    pub done: u64,
    /// Why it failed.
    pub error: Option<String>,
    /// `user_…` or `key_…`.
    pub created_by: String,
    pub created_at: DateTime<Utc>,
    pub started_at: Option<DateTime<Utc>>,
    pub finished_at: Option<DateTime<Utc>>,
}

/// Which evaluations to list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct EvaluationFilter {
    pub judge: Option<JudgeId>,
}

#[derive(FromQueryResult)]
pub(super) struct Row {
    id: String,
    account_id: String,
    judge_id: String,
    judge_version: i32,
    checkpoint_id: Option<String>,
    state: String,
    job_id: String,
    price: i64,
    samples: i64,
    done: i64,
    error: Option<String>,
    created_by: String,
    created_at: DateTime<Utc>,
    started_at: Option<DateTime<Utc>>,
    finished_at: Option<DateTime<Utc>>,
}

/// Reads an evaluation of an account.
///
/// # Errors
/// `NOT_FOUND` without it, with the same message for one of another account.
pub async fn find(db: &Database, account: &AccountId, id: &EvaluationId) -> Result<Evaluation> {
    let found = find_many(db, account, std::slice::from_ref(id)).await?;
    found.into_iter().next().ok_or_else(not_found)
}

/// Reads an evaluation, whoever's it is, on a transaction that changes it.
pub(super) async fn read(tx: &impl ConnectionTrait, id: &EvaluationId) -> Result<Evaluation> {
    let row = light(evaluation::Entity::find_by_id(id.as_str())).into_model::<Row>();
    row.one(tx).await?.ok_or_else(not_found)?.try_into()
}

/// Reads evaluations of an account; ids that do not exist are left out.
pub async fn find_many(db: &Database, account: &AccountId, ids: &[EvaluationId]) -> Result<Vec<Evaluation>> {
    let rows = light(of(account)).filter(evaluation::Column::Id.is_in(ids.iter().map(EvaluationId::as_str)));
    db.in_time(rows.into_model::<Row>().all(db.read())).await?.into_iter().map(Evaluation::try_from).collect()
}

/// Reads pages of an account's evaluations, newest first, in one statement; keys are ids.
pub async fn pages(
    db: &Database,
    account: &AccountId,
    wanted: &[(EvaluationFilter, Page<String>)],
) -> Result<Vec<Slice<Evaluation>>> {
    let wanted = wanted.iter().map(|(filter, page)| (light(filtered(account, filter)), page)).collect();
    let found = newest_first(db, evaluation::Column::Id, |row: &Row| row.id.as_str(), wanted).await?;
    found.into_iter().map(|slice| slice.try_map(Evaluation::try_from)).collect()
}

/// Counts an account's evaluations, for each filter.
pub async fn counts(db: &Database, account: &AccountId, wanted: &[EvaluationFilter]) -> Result<Vec<u64>> {
    count_all(db, None, wanted.iter().map(|filter| filtered(account, filter).into_query())).await
}

/// The bytes that the metrics of evaluations of an account take in the database.
pub async fn metrics_bytes(db: &Database, account: &AccountId, ids: &[EvaluationId]) -> Result<usize> {
    let bytes = "CAST(COALESCE(SUM(OCTET_LENGTH(metrics)), 0) AS BIGINT)";
    let sum = of(account)
        .select_only()
        .expr_as(Expr::cust(bytes), "bytes")
        .filter(evaluation::Column::Id.is_in(ids.iter().map(EvaluationId::as_str)))
        .into_tuple::<i64>();
    let sum = db.in_time(sum.one(db.read())).await?.unwrap_or_default();
    Ok(usize::try_from(sum).unwrap_or_default())
}

/// Reads the metrics of evaluations of an account; empty until one succeeds.
pub async fn metrics(
    db: &Database,
    account: &AccountId,
    ids: &[EvaluationId],
) -> Result<HashMap<EvaluationId, Vec<KeyMetrics>>> {
    use evaluation::Column;
    let rows = of(account)
        .select_only()
        .columns([Column::Id, Column::Metrics])
        .filter(Column::Id.is_in(ids.iter().map(EvaluationId::as_str)))
        .into_tuple::<(String, Option<String>)>();
    let parsed = |(id, metrics): (String, Option<String>)| {
        let metrics = metrics.as_deref().map(serde_json::from_str).transpose().map_err(Error::internal)?;
        Ok((EvaluationId::from(id), metrics.unwrap_or_default()))
    };
    db.in_time(rows.all(db.read())).await?.into_iter().map(parsed).collect()
}

pub(super) fn not_found() -> Error {
    Error::not_found("evaluation")
}

pub(super) fn of(account: &AccountId) -> Select<evaluation::Entity> {
    evaluation::Entity::find().filter(evaluation::Column::AccountId.eq(account.as_str()))
}

fn filtered(account: &AccountId, filter: &EvaluationFilter) -> Select<evaluation::Entity> {
    let judge = filter.judge.as_ref().map(|judge| evaluation::Column::JudgeId.eq(judge.as_str()));
    judge.into_iter().fold(of(account), Select::filter)
}

/// Selects a [`Row`].
fn light(query: Select<evaluation::Entity>) -> Select<evaluation::Entity> {
    use evaluation::Column;
    query.select_only().columns([
        Column::Id,
        Column::AccountId,
        Column::JudgeId,
        Column::JudgeVersion,
        Column::CheckpointId,
        Column::State,
        Column::JobId,
        Column::Price,
        Column::Samples,
        Column::Done,
        Column::Error,
        Column::CreatedBy,
        Column::CreatedAt,
        Column::StartedAt,
        Column::FinishedAt,
    ])
}

impl TryFrom<Row> for Evaluation {
    type Error = Error;

    fn try_from(row: Row) -> Result<Self> {
        Ok(Self {
            state: State::parse(&row.state)?,
            id: row.id.into(),
            account: row.account_id.into(),
            judge: row.judge_id.into(),
            version: row.judge_version,
            checkpoint: row.checkpoint_id.map(CheckpointId::from),
            job: row.job_id.into(),
            price: Amount::from_milli(row.price),
            samples: u64::try_from(row.samples).unwrap_or_default(),
            done: u64::try_from(row.done).unwrap_or_default(),
            error: row.error,
            created_by: row.created_by,
            created_at: row.created_at,
            started_at: row.started_at,
            finished_at: row.finished_at,
        })
    }
}
