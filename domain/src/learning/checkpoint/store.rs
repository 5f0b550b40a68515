//! Reads Checkpoints and their events, within one account. Changes nothing.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use entity::{checkpoint, checkpoint_event};
use sea_orm::{ColumnTrait, DerivePartialModel, EntityTrait, PaginatorTrait, QueryFilter, Select};
use serde_json::{Map, Value};

use super::{Metrics, checkpoints::Checkpoints};
use crate::{
    Error, Result,
    background::job::{self, JobKind, JobState, SubjectRecord},
    foundation::{
        audit,
        page::{Page, Slice, slice},
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
    pub state: JobState,
    pub job: JobId,
    /// Held on submission, charged on success.
    pub price: Amount,
    /// True to activate it when it is better than what answers now.
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

/// The least progress from which the rest is estimated.
const ESTIMATED_FROM: f64 = 0.02;

impl Checkpoint {
    /// About how many seconds training still takes at the speed so far; `None` unless it runs and has begun in earnest.
    pub fn seconds_left(&self) -> Option<u32> {
        let began =
            self.started_at.filter(|_| self.state == JobState::Running && self.progress >= ESTIMATED_FROM)?;
        let spent = (Utc::now() - began).num_milliseconds().max(0) as f64 / 1_000.0;
        Some((spent * (1.0 - self.progress) / self.progress).ceil().min(f64::from(u32::MAX)) as u32)
    }
}

/// The results of a Checkpoint that succeeded; may be a few hundred kilobytes.
#[derive(Clone, Debug, PartialEq)]
pub struct Details {
    /// The comparison with the live model.
    pub metrics: Option<Metrics>,
    /// What training tried.
    pub report: Option<TrainingReport>,
}

/// An event of the training of a Checkpoint.
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
    pub state: Option<JobState>,
}

impl Checkpoints {
    /// Reads a Checkpoint of an account.
    ///
    /// # Errors
    /// `NOT_FOUND` without it, with the same message for one of another account.
    pub async fn find(&self, account: &AccountId, id: &CheckpointId) -> Result<Checkpoint> {
        job::find_record(&self.paid.db, account, id.as_str()).await
    }

    /// Reads Checkpoints of an account; ids that do not exist are left out.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` when the database does not answer.
    pub async fn find_many(&self, account: &AccountId, ids: &[CheckpointId]) -> Result<Vec<Checkpoint>> {
        job::find_records(&self.paid.db, account, as_strs(ids)).await
    }

    /// The bytes that the details of Checkpoints of an account take in the database.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` when the database does not answer.
    pub async fn details_bytes(&self, account: &AccountId, ids: &[CheckpointId]) -> Result<usize> {
        let bytes = "OCTET_LENGTH(COALESCE(metrics, '')) + OCTET_LENGTH(COALESCE(report, ''))";
        job::sum::<checkpoint::Entity>(&self.paid.db, account, as_strs(ids), bytes).await
    }

    /// Reads the details of Checkpoints of an account.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` when the database does not answer.
    pub async fn details(
        &self,
        account: &AccountId,
        ids: &[CheckpointId],
    ) -> Result<HashMap<CheckpointId, Details>> {
        let rows = job::find_rows::<checkpoint::Entity, DetailsRow>(&self.paid.db, account, as_strs(ids));
        rows.await?.into_iter().map(|row| Ok((row.id.clone().into(), row.try_into()?))).collect()
    }

    /// Reads pages of an account's Checkpoints, newest first, in one statement; keys are ids.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` when the database does not answer.
    pub async fn pages(
        &self,
        account: &AccountId,
        wanted: &[(CheckpointFilter, Page<String>)],
    ) -> Result<Vec<Slice<Checkpoint>>> {
        job::record_pages(&self.paid.db, account, wanted).await
    }

    /// Counts an account's Checkpoints, for each filter.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` when the database does not answer.
    pub async fn counts(&self, account: &AccountId, wanted: &[CheckpointFilter]) -> Result<Vec<u64>> {
        job::count_records::<Checkpoint>(&self.paid.db, account, wanted).await
    }

    /// Reads a page of a Checkpoint's events, oldest first. The caller has checked the Checkpoint's account.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` when the database does not answer.
    pub async fn events(&self, id: &CheckpointId, page: Page<i64>) -> Result<Slice<CheckpointEvent>> {
        let seq = checkpoint_event::Column::Seq;
        let rows: Slice<checkpoint_event::Model> =
            slice(events_of(id), seq, false, page, self.paid.db.read()).await?;
        Ok(rows.map(|row| CheckpointEvent {
            seq: row.seq,
            level: if row.level == "warning" { Level::Warning } else { Level::Info },
            message: row.message,
            numbers: serde_json::from_str(&row.numbers).unwrap_or_default(),
            at: row.created_at,
        }))
    }

    /// Counts a Checkpoint's events. The caller has checked the Checkpoint's account.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` when the database does not answer.
    pub async fn count_events(&self, id: &CheckpointId) -> Result<u64> {
        Ok(events_of(id).count(self.paid.db.read()).await?)
    }
}

fn as_strs(ids: &[CheckpointId]) -> impl Iterator<Item = &str> {
    ids.iter().map(CheckpointId::as_str)
}

fn events_of(id: &CheckpointId) -> Select<checkpoint_event::Entity> {
    checkpoint_event::Entity::find().filter(checkpoint_event::Column::CheckpointId.eq(id.as_str()))
}

/// The columns of a Checkpoint without its details.
#[derive(DerivePartialModel)]
#[sea_orm(entity = "checkpoint::Entity")]
pub(crate) struct CheckpointRow {
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

/// The columns of the details.
#[derive(DerivePartialModel)]
#[sea_orm(entity = "checkpoint::Entity")]
struct DetailsRow {
    id: String,
    metrics: Option<String>,
    report: Option<String>,
}

impl TryFrom<DetailsRow> for Details {
    type Error = Error;

    fn try_from(row: DetailsRow) -> Result<Self> {
        Ok(Self {
            metrics: row.metrics.as_deref().map(serde_json::from_str).transpose().map_err(Error::internal)?,
            report: row.report.as_deref().map(serde_json::from_str).transpose().map_err(Error::internal)?,
        })
    }
}

impl SubjectRecord for Checkpoint {
    type Table = checkpoint::Entity;
    type Row = CheckpointRow;
    type Filter = CheckpointFilter;

    const NOUN: &'static str = "Checkpoint";
    const KIND: JobKind = JobKind::TrainCheckpoint;
    const CANCEL: audit::Action = audit::Action::CheckpointCancel;

    fn id_of(row: &CheckpointRow) -> &str {
        &row.id
    }

    fn filter(
        mut query: Select<checkpoint::Entity>,
        filter: &CheckpointFilter,
    ) -> Select<checkpoint::Entity> {
        if let Some(judge) = &filter.judge {
            query = query.filter(checkpoint::Column::JudgeId.eq(judge.as_str()));
        }
        if let Some(state) = filter.state {
            query = query.filter(checkpoint::Column::State.eq(state.as_str()));
        }
        query
    }

    fn job(&self) -> &JobId {
        &self.job
    }

    fn state(&self) -> JobState {
        self.state
    }
}

impl TryFrom<CheckpointRow> for Checkpoint {
    type Error = Error;

    fn try_from(row: CheckpointRow) -> Result<Self> {
        Ok(Self {
            state: JobState::parse(&row.state)?,
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
