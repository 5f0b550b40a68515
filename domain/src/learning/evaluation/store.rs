//! Reads evaluation runs, within one account. Changes nothing.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use entity::evaluation;
use sea_orm::{ColumnTrait, DerivePartialModel, QueryFilter, Select};

use super::{evaluations::Evaluations, plan::parse_filter, scope::EvaluationScope};
use crate::{
    Error, Result,
    background::job::{self, JobKind, JobState, SubjectRecord},
    foundation::{
        audit,
        page::{Page, Slice},
    },
    learning::{agreement::KeyMetrics, sample::SampleFilter},
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
    /// The Checkpoint that answers; `None` for the base model and for a backend.
    pub checkpoint: Option<CheckpointId>,
    /// The backend that answers, as `NAME` or `NAME/model`; `None` for the model in process.
    pub backend: Option<String>,
    pub scope: EvaluationScope,
    /// The filter on its samples.
    pub filter: SampleFilter,
    pub state: JobState,
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

/// The columns of an evaluation without its metrics.
#[derive(DerivePartialModel)]
#[sea_orm(entity = "evaluation::Entity")]
pub(crate) struct EvaluationRow {
    id: String,
    account_id: String,
    judge_id: String,
    judge_version: i32,
    checkpoint_id: Option<String>,
    backend: Option<String>,
    scope: String,
    filter: String,
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

/// The columns of the metrics.
#[derive(DerivePartialModel)]
#[sea_orm(entity = "evaluation::Entity")]
struct MetricsRow {
    id: String,
    metrics: Option<String>,
    trained_metrics: Option<String>,
}

/// The metrics of an evaluation; empty until it succeeds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EvaluationMetrics {
    /// Of the samples that the Checkpoint was not trained on.
    pub unseen: Vec<KeyMetrics>,
    /// Of the samples that it was trained on.
    pub trained: Vec<KeyMetrics>,
}

impl Evaluations {
    /// Reads an evaluation of an account.
    ///
    /// # Errors
    /// `NOT_FOUND` without it, with the same message for one of another account.
    pub async fn find(&self, account: &AccountId, id: &EvaluationId) -> Result<Evaluation> {
        job::find_record(&self.paid.db, account, id.as_str()).await
    }

    /// Reads evaluations of an account; ids that do not exist are left out.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` when the database does not answer.
    pub async fn find_many(&self, account: &AccountId, ids: &[EvaluationId]) -> Result<Vec<Evaluation>> {
        job::find_records(&self.paid.db, account, as_strs(ids)).await
    }

    /// Reads pages of an account's evaluations, newest first, in one statement; keys are ids.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` when the database does not answer.
    pub async fn pages(
        &self,
        account: &AccountId,
        wanted: &[(EvaluationFilter, Page<String>)],
    ) -> Result<Vec<Slice<Evaluation>>> {
        job::record_pages(&self.paid.db, account, wanted).await
    }

    /// Counts an account's evaluations, for each filter.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` when the database does not answer.
    pub async fn counts(&self, account: &AccountId, wanted: &[EvaluationFilter]) -> Result<Vec<u64>> {
        job::count_records::<Evaluation>(&self.paid.db, account, wanted).await
    }

    /// The bytes that the metrics of evaluations of an account take in the database.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` when the database does not answer.
    pub async fn metrics_bytes(&self, account: &AccountId, ids: &[EvaluationId]) -> Result<usize> {
        let bytes = "OCTET_LENGTH(metrics) + COALESCE(OCTET_LENGTH(trained_metrics), 0)";
        job::sum::<evaluation::Entity>(&self.paid.db, account, as_strs(ids), bytes).await
    }

    /// Reads the metrics of evaluations of an account; empty until one succeeds.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` when the database does not answer.
    pub async fn metrics(
        &self,
        account: &AccountId,
        ids: &[EvaluationId],
    ) -> Result<HashMap<EvaluationId, EvaluationMetrics>> {
        let rows = job::find_rows::<evaluation::Entity, MetricsRow>(&self.paid.db, account, as_strs(ids));
        let mut metrics = HashMap::new();
        for row in rows.await? {
            let unseen = parse_metrics(row.metrics.as_deref())?;
            let trained = parse_metrics(row.trained_metrics.as_deref())?;
            metrics.insert(row.id.into(), EvaluationMetrics { unseen, trained });
        }
        Ok(metrics)
    }
}

fn parse_metrics(stored: Option<&str>) -> Result<Vec<KeyMetrics>> {
    let metrics = stored.map(serde_json::from_str).transpose();
    Ok(metrics.map_err(Error::internal)?.unwrap_or_default())
}

fn as_strs(ids: &[EvaluationId]) -> impl Iterator<Item = &str> {
    ids.iter().map(EvaluationId::as_str)
}

impl SubjectRecord for Evaluation {
    type Table = evaluation::Entity;
    type Row = EvaluationRow;
    type Filter = EvaluationFilter;

    const NOUN: &'static str = "evaluation";
    const KIND: JobKind = JobKind::Evaluate;
    const CANCEL: audit::Action = audit::Action::EvaluationCancel;

    fn id_of(row: &EvaluationRow) -> &str {
        &row.id
    }

    fn filter(query: Select<evaluation::Entity>, filter: &EvaluationFilter) -> Select<evaluation::Entity> {
        match &filter.judge {
            Some(judge) => query.filter(evaluation::Column::JudgeId.eq(judge.as_str())),
            None => query,
        }
    }

    fn job(&self) -> &JobId {
        &self.job
    }

    fn state(&self) -> JobState {
        self.state
    }
}

impl TryFrom<EvaluationRow> for Evaluation {
    type Error = Error;

    fn try_from(row: EvaluationRow) -> Result<Self> {
        Ok(Self {
            state: JobState::parse(&row.state)?,
            scope: EvaluationScope::of_row(&row.scope)?,
            filter: parse_filter(&row.filter)?,
            id: row.id.into(),
            account: row.account_id.into(),
            judge: row.judge_id.into(),
            version: row.judge_version,
            checkpoint: row.checkpoint_id.map(CheckpointId::from),
            backend: row.backend,
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
