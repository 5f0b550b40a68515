//! Reads Checkpoints and their events, within one account. Changes nothing.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use entity::{checkpoint, checkpoint_event};
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, FromQueryResult, PaginatorTrait, QueryFilter, QuerySelect,
    QueryTrait, Select, sea_query::Expr,
};
use serde_json::{Map, Value};

use super::Metrics;
use crate::{
    Error, Result,
    background::job::State,
    foundation::{
        database::Database,
        page::{Page, Slice, slice},
        union::{count_all, newest_first},
    },
    money::amount::Amount,
};
use ports::id::{AccountId, CheckpointId, JobId, JudgeId};
use ports::training::{Level, TrainingReport};

/// A Checkpoint of a Judge.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    /// `ckpt_…`
    pub id: CheckpointId,
    pub account: AccountId,
    pub judge: JudgeId,
    /// The version of the Judge whose questions it is trained for.
    pub version: i32,
    pub state: State,
    pub job: JobId,
    /// Held when it was submitted, charged when it succeeds.
    pub price: Amount,
    /// True to activate it when it is better than the live model.
    pub auto_activate: bool,
    /// The share that is done, 0 to 1.
    pub progress: f64,
    /// SHA-256 of its artefact; `None` until it succeeds.
    pub artefact: Option<String>,
    /// Why it failed.
    pub error: Option<String>,
    /// `user_…` or `key_…`.
    pub created_by: String,
    pub created_at: DateTime<Utc>,
    pub started_at: Option<DateTime<Utc>>,
    pub finished_at: Option<DateTime<Utc>>,
    /// When it was last activated.
    pub activated_at: Option<DateTime<Utc>>,
}

/// What a Checkpoint that succeeded has besides; may be some hundred kilobytes.
#[derive(Clone, Debug, PartialEq)]
pub struct Details {
    /// The comparison with the live model.
    pub metrics: Option<Metrics>,
    /// What training tried.
    pub report: Option<TrainingReport>,
}

/// A remark on the training of a Checkpoint.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckpointEvent {
    /// The order of the events.
    pub seq: i64,
    pub level: Level,
    pub message: String,
    pub numbers: Map<String, Value>,
    pub at: DateTime<Utc>,
}

/// Which Checkpoints to list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct CheckpointFilter {
    pub judge: Option<JudgeId>,
    pub state: Option<State>,
}

/// Reads a Checkpoint of an account.
///
/// # Errors
/// `NOT_FOUND` without it, with the same message for one of another account.
pub async fn find(db: &Database, account: &AccountId, id: &CheckpointId) -> Result<Checkpoint> {
    let found = find_many(db, account, std::slice::from_ref(id)).await?;
    found.into_iter().next().ok_or_else(not_found)
}

/// Reads a Checkpoint, whoever's it is, on a transaction that changes it.
pub(super) async fn read(tx: &impl ConnectionTrait, id: &CheckpointId) -> Result<Checkpoint> {
    let row = light(checkpoint::Entity::find_by_id(id.as_str())).into_model::<Row>();
    row.one(tx).await?.ok_or_else(not_found)?.try_into()
}

/// Reads Checkpoints of an account; ids that do not exist are left out.
pub async fn find_many(db: &Database, account: &AccountId, ids: &[CheckpointId]) -> Result<Vec<Checkpoint>> {
    let rows = of(account).filter(checkpoint::Column::Id.is_in(ids.iter().map(CheckpointId::as_str)));
    db.in_time(light(rows).into_model::<Row>().all(db.read()))
        .await?
        .into_iter()
        .map(Checkpoint::try_from)
        .collect()
}

/// The bytes that the details of Checkpoints of an account take in the database.
pub async fn details_bytes(db: &Database, account: &AccountId, ids: &[CheckpointId]) -> Result<usize> {
    let bytes = "CAST(COALESCE(SUM(OCTET_LENGTH(COALESCE(metrics, '')) + OCTET_LENGTH(COALESCE(report, ''))), 0) AS BIGINT)";
    let sum = of(account)
        .select_only()
        .expr_as(Expr::cust(bytes), "bytes")
        .filter(checkpoint::Column::Id.is_in(ids.iter().map(CheckpointId::as_str)))
        .into_tuple::<i64>();
    let sum = db.in_time(sum.one(db.read())).await?.unwrap_or_default();
    Ok(usize::try_from(sum).unwrap_or_default())
}

/// Reads the details of Checkpoints of an account.
pub async fn details(
    db: &Database,
    account: &AccountId,
    ids: &[CheckpointId],
) -> Result<HashMap<CheckpointId, Details>> {
    use checkpoint::Column;
    let rows = of(account)
        .select_only()
        .columns([Column::Id, Column::Metrics, Column::Report])
        .filter(Column::Id.is_in(ids.iter().map(CheckpointId::as_str)))
        .into_tuple::<(String, Option<String>, Option<String>)>();
    let details = |(id, metrics, report): (String, Option<String>, Option<String>)| {
        let metrics = metrics.as_deref().map(serde_json::from_str).transpose().map_err(Error::internal)?;
        let report = report.as_deref().map(serde_json::from_str).transpose().map_err(Error::internal)?;
        Ok((CheckpointId::from(id), Details { metrics, report }))
    };
    db.in_time(rows.all(db.read())).await?.into_iter().map(details).collect()
}

/// Reads pages of an account's Checkpoints, newest first, in one statement; keys are ids.
pub async fn pages(
    db: &Database,
    account: &AccountId,
    wanted: &[(CheckpointFilter, Page<String>)],
) -> Result<Vec<Slice<Checkpoint>>> {
    let wanted = wanted.iter().map(|(filter, page)| (light(filtered(account, filter)), page)).collect();
    let found = newest_first(db, checkpoint::Column::Id, |row: &Row| row.id.as_str(), wanted).await?;
    found.into_iter().map(|slice| slice.try_map(Checkpoint::try_from)).collect()
}

/// Counts an account's Checkpoints, for each filter.
pub async fn counts(db: &Database, account: &AccountId, wanted: &[CheckpointFilter]) -> Result<Vec<u64>> {
    count_all(db, None, wanted.iter().map(|filter| filtered(account, filter).into_query())).await
}

/// Reads a page of a Checkpoint's events, oldest first. The caller has checked the Checkpoint's account.
pub async fn events(db: &Database, id: &CheckpointId, page: Page<i64>) -> Result<Slice<CheckpointEvent>> {
    let rows: Slice<checkpoint_event::Model> =
        slice(events_of(id), checkpoint_event::Column::Seq, false, page, db.read()).await?;
    Ok(rows.map(|row| CheckpointEvent {
        seq: row.seq,
        level: if row.level == "warning" { Level::Warning } else { Level::Info },
        message: row.message,
        numbers: serde_json::from_str(&row.numbers).unwrap_or_default(),
        at: row.created_at,
    }))
}

/// Counts a Checkpoint's events.
pub async fn count_events(db: &Database, id: &CheckpointId) -> Result<u64> {
    Ok(events_of(id).count(db.read()).await?)
}

pub(super) fn not_found() -> Error {
    Error::not_found("Checkpoint")
}

pub(super) fn of(account: &AccountId) -> Select<checkpoint::Entity> {
    checkpoint::Entity::find().filter(checkpoint::Column::AccountId.eq(account.as_str()))
}

fn events_of(id: &CheckpointId) -> Select<checkpoint_event::Entity> {
    checkpoint_event::Entity::find().filter(checkpoint_event::Column::CheckpointId.eq(id.as_str()))
}

fn filtered(account: &AccountId, filter: &CheckpointFilter) -> Select<checkpoint::Entity> {
    let mut query = of(account);
    if let Some(judge) = &filter.judge {
        query = query.filter(checkpoint::Column::JudgeId.eq(judge.as_str()));
    }
    if let Some(state) = filter.state {
        query = query.filter(checkpoint::Column::State.eq(state.as_str()));
    }
    query
}

/// A row without its details.
#[derive(FromQueryResult)]
struct Row {
    id: String,
    account_id: String,
    judge_id: String,
    judge_version: i32,
    state: String,
    job_id: String,
    price: i64,
    auto_activate: bool,
    progress: f64,
    artefact: Option<String>,
    error: Option<String>,
    created_by: String,
    created_at: DateTime<Utc>,
    started_at: Option<DateTime<Utc>>,
    finished_at: Option<DateTime<Utc>>,
    activated_at: Option<DateTime<Utc>>,
}

/// Selects a [`Row`].
fn light(query: Select<checkpoint::Entity>) -> Select<checkpoint::Entity> {
    use checkpoint::Column;
    query.select_only().columns([
        Column::Id,
        Column::AccountId,
        Column::JudgeId,
        Column::JudgeVersion,
        Column::State,
        Column::JobId,
        Column::Price,
        Column::AutoActivate,
        Column::Progress,
        Column::Artefact,
        Column::Error,
        Column::CreatedBy,
        Column::CreatedAt,
        Column::StartedAt,
        Column::FinishedAt,
        Column::ActivatedAt,
    ])
}

impl TryFrom<Row> for Checkpoint {
    type Error = Error;

    fn try_from(row: Row) -> Result<Self> {
        Ok(Self {
            state: State::parse(&row.state)?,
            id: row.id.into(),
            account: row.account_id.into(),
            judge: row.judge_id.into(),
            version: row.judge_version,
            job: row.job_id.into(),
            price: Amount::from_milli(row.price),
            auto_activate: row.auto_activate,
            progress: row.progress,
            artefact: row.artefact,
            error: row.error,
            created_by: row.created_by,
            created_at: row.created_at,
            started_at: row.started_at,
            finished_at: row.finished_at,
            activated_at: row.activated_at,
        })
    }
}
