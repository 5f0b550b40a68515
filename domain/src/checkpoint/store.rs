//! Reads Checkpoints and their events, within one account. Changes nothing.

use chrono::{DateTime, Utc};
use entity::{checkpoint, checkpoint_event};
use sea_orm::{ColumnTrait, EntityTrait, PaginatorTrait, QueryFilter, Select};
use serde_json::{Map, Value};

use super::{Level, Metrics, TrainingReport};
use crate::{
    Code, Error, Result,
    amount::Amount,
    database::Database,
    id::{AccountId, CheckpointId, JobId, JudgeId},
    page::{Page, Slice, slice},
};

/// The state of a Checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum State {
    Queued,
    Running,
    Succeeded,
    Failed,
    Cancelled,
}

impl State {
    pub const ALL: [State; 5] =
        [State::Queued, State::Running, State::Succeeded, State::Failed, State::Cancelled];
    /// Those of a Checkpoint that is still to be trained.
    pub(super) const OPEN: [&'static str; 2] = ["queued", "running"];

    /// The name in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            State::Queued => "queued",
            State::Running => "running",
            State::Succeeded => "succeeded",
            State::Failed => "failed",
            State::Cancelled => "cancelled",
        }
    }

    fn parse(name: &str) -> Result<Self> {
        let unknown = || Error::internal(format!("`{name}` is no state of a Checkpoint"));
        State::ALL.into_iter().find(|state| state.as_str() == name).ok_or_else(unknown)
    }
}

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
    /// The comparison with the live model; `None` until it succeeds.
    pub metrics: Option<Metrics>,
    /// What training tried; `None` until it succeeds.
    pub report: Option<TrainingReport>,
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

impl CheckpointId {
    /// Parses an id from a client: a malformed id is a Checkpoint that does not exist.
    ///
    /// # Errors
    /// `NOT_FOUND`.
    pub fn parse(text: &str) -> Result<Self> {
        Self::read(text).ok_or_else(not_found)
    }
}

/// Reads a Checkpoint of an account.
///
/// # Errors
/// `NOT_FOUND` without it, with the same message for one of another account.
pub async fn find(db: &Database, account: &AccountId, id: &CheckpointId) -> Result<Checkpoint> {
    let found = find_many(db, account, std::slice::from_ref(id)).await?;
    found.into_iter().next().ok_or_else(not_found)
}

/// Reads Checkpoints of an account; ids that do not exist are left out.
pub async fn find_many(db: &Database, account: &AccountId, ids: &[CheckpointId]) -> Result<Vec<Checkpoint>> {
    let rows = of(account).filter(checkpoint::Column::Id.is_in(ids.iter().map(CheckpointId::as_str)));
    db.in_time(rows.all(db.read())).await?.into_iter().map(Checkpoint::try_from).collect()
}

/// Reads a page of an account's Checkpoints, newest first; keys are ids.
pub async fn list(
    db: &Database,
    account: &AccountId,
    filter: &CheckpointFilter,
    page: Page<String>,
) -> Result<Slice<Checkpoint>> {
    let Slice { items, has_previous, has_next } =
        slice(filtered(account, filter), checkpoint::Column::Id, true, page, db.read()).await?;
    let items = items.into_iter().map(Checkpoint::try_from).collect::<Result<_>>()?;
    Ok(Slice { items, has_previous, has_next })
}

/// Counts an account's Checkpoints.
pub async fn count(db: &Database, account: &AccountId, filter: &CheckpointFilter) -> Result<u64> {
    Ok(filtered(account, filter).count(db.read()).await?)
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
    Error::new(Code::NotFound, "there is no such Checkpoint")
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

impl TryFrom<checkpoint::Model> for Checkpoint {
    type Error = Error;

    fn try_from(row: checkpoint::Model) -> Result<Self> {
        Ok(Self {
            state: State::parse(&row.state)?,
            metrics: row.metrics.as_deref().map(serde_json::from_str).transpose().map_err(Error::internal)?,
            report: row.report.as_deref().map(serde_json::from_str).transpose().map_err(Error::internal)?,
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
