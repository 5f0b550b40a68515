//! Lists, retries and cancels jobs, for operators.

use chrono::{DateTime, Utc};
use entity::job;
use sea_orm::{
    ColumnTrait, ConnectionTrait, DatabaseTransaction, EntityTrait, FromQueryResult, PaginatorTrait,
    QueryFilter, Select, Statement,
};
use serde_json::json;

use super::{JobKind, JobState, Jobs, end::request_cancel};
use crate::{
    Code, Error, Result,
    foundation::{
        audit,
        page::{Page, Slice, slice},
    },
    money::credits::lock_account,
};
use ports::id::{AccountId, JobId};

/// A job, as operators see it.
#[derive(Clone, Debug)]
pub struct JobRow {
    pub id: JobId,
    pub kind: String,
    pub account: Option<AccountId>,
    /// The id of what it works for.
    pub subject: String,
    pub state: JobState,
    pub attempts: i32,
    pub max_attempts: i32,
    pub cancel_requested: bool,
    /// The cause of the last failure; for operators.
    pub error: Option<String>,
    /// When it may run at the earliest, in milliseconds since 1970.
    pub due_at: i64,
    pub created_at: DateTime<Utc>,
    pub started_at: Option<DateTime<Utc>>,
    pub finished_at: Option<DateTime<Utc>>,
}

/// Which jobs to list.
#[derive(Clone, Debug, Default)]
pub struct JobFilter {
    pub state: Option<JobState>,
    pub kind: Option<JobKind>,
    /// The id of what they work for.
    pub subject: Option<String>,
}

/// The open jobs of a kind.
#[derive(Clone, Debug, PartialEq, Eq, FromQueryResult)]
pub struct QueueState {
    pub kind: String,
    /// `queued` or `running`.
    pub state: String,
    pub jobs: i64,
    /// How long the oldest has been due, in milliseconds.
    pub oldest_ms: i64,
}

impl Jobs {
    /// A page of jobs, newest first, keyed by id.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` when the database does not answer.
    pub async fn list(&self, filter: JobFilter, page: Page<String>) -> Result<Slice<JobRow>> {
        let rows: Slice<job::Model> =
            slice(filtered(filter), job::Column::Id, true, page, self.db.read()).await?;
        rows.try_map(JobRow::try_from)
    }

    /// Counts jobs.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` when the database does not answer.
    pub async fn count(&self, filter: JobFilter) -> Result<u64> {
        Ok(filtered(filter).count(self.db.read()).await?)
    }

    /// Finds a job.
    ///
    /// # Errors
    /// `NOT_FOUND`.
    pub async fn find(&self, id: &JobId) -> Result<JobRow> {
        let row = job::Entity::find_by_id(id.as_str()).one(self.db.read()).await?;
        row.ok_or_else(|| Error::new(Code::NotFound, format!("there is no job {id}")))?.try_into()
    }

    /// Finds jobs, in any order; ids that do not exist are left out.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` when the database does not answer.
    pub async fn find_many(&self, ids: &[JobId]) -> Result<Vec<JobRow>> {
        let rows = job::Entity::find().filter(job::Column::Id.is_in(ids.iter().map(JobId::as_str)));
        let rows = self.db.in_time(rows.all(self.db.read())).await?;
        rows.into_iter().map(JobRow::try_from).collect()
    }

    /// Runs a queued job now, with its attempts reset; queues a failed webhook delivery again. `by` is the actor, for
    /// the audit log.
    ///
    /// # Errors
    /// `NOT_FOUND`; `CONFLICT` for a job that is running or has ended: what it worked for has ended with it.
    pub async fn retry(&self, by: &str, id: &JobId) -> Result<JobRow> {
        let row = self.find(id).await?;
        let sql = format!(
            "UPDATE job SET state = 'queued', due_at = {}, delivered_at = NULL, attempts = 0, finished_at = NULL, \
             cancel_requested = FALSE WHERE id = $1 AND (state = 'queued' OR (state = 'failed' AND kind = $2))",
            self.db.now_ms()
        );
        let values = [id.as_str().into(), JobKind::DeliverWebhook.as_str().into()];
        let statement = Statement::from_sql_and_values(self.db.write().get_database_backend(), sql, values);
        let tx = self.begin(&row).await?;
        if tx.execute_raw(statement).await?.rows_affected() == 0 {
            let state = row.state.as_str();
            let message = format!(
                "{id} is {state}; only queued jobs and failed webhook deliveries can be retried, \
                 since what other jobs worked for has ended with them: submit it again"
            );
            return Err(Error::new(Code::Conflict, message));
        }
        record(&tx, by, audit::Action::JobRetry, &row).await?;
        tx.commit().await?;
        self.deliver_row(&row);
        self.find(id).await
    }

    /// Cancels a job: a worker ends it within seconds. `by` is the actor, for the audit log.
    ///
    /// # Errors
    /// `NOT_FOUND`; `CONFLICT` when it has ended.
    pub async fn cancel(&self, by: &str, id: &JobId) -> Result<JobRow> {
        let row = self.find(id).await?;
        if !matches!(row.state, JobState::Queued | JobState::Running) {
            let message = format!("{id} has already ended: {}", row.state.as_str());
            return Err(Error::new(Code::Conflict, message));
        }
        let tx = self.begin(&row).await?;
        request_cancel(&tx, id).await?;
        record(&tx, by, audit::Action::JobCancel, &row).await?;
        tx.commit().await?;
        self.deliver_row(&row);
        self.find(id).await
    }

    /// The open jobs, by kind and state.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` when the database does not answer.
    pub async fn queue_states(&self) -> Result<Vec<QueueState>> {
        let now = self.db.now_ms();
        let sql = format!(
            "SELECT kind, state, COUNT(*) AS jobs, \
             CAST({now} - MIN(CASE WHEN due_at < {now} THEN due_at ELSE {now} END) AS BIGINT) AS oldest_ms \
             FROM job WHERE state IN ('queued', 'running') GROUP BY kind, state"
        );
        let statement = Statement::from_string(self.db.read().get_database_backend(), sql);
        Ok(QueueState::find_by_statement(statement).all(self.db.read()).await?)
    }

    /// Begins a change of a job and of the audit log, with its account locked.
    async fn begin(&self, row: &JobRow) -> Result<DatabaseTransaction> {
        let tx = self.db.begin().await?;
        if let Some(account) = &row.account {
            lock_account(&tx, account).await?;
        }
        Ok(tx)
    }

    fn deliver_row(&self, row: &JobRow) {
        if let Ok(kind) = row.kind.parse::<JobKind>() {
            self.deliver(kind.lane(), vec![row.id.clone()]);
        }
    }
}

fn filtered(filter: JobFilter) -> Select<job::Entity> {
    let mut query = job::Entity::find();
    if let Some(state) = filter.state {
        query = query.filter(job::Column::State.eq(state.as_str()));
    }
    if let Some(kind) = filter.kind {
        query = query.filter(job::Column::Kind.eq(kind.as_str()));
    }
    if let Some(subject) = filter.subject {
        query = query.filter(job::Column::Subject.eq(subject));
    }
    query
}

/// Writes the audit entry of the account that the job works for.
async fn record(tx: &DatabaseTransaction, by: &str, action: audit::Action, row: &JobRow) -> Result<()> {
    let Some(account) = &row.account else { return Ok(()) };
    let change = audit::Change::by_command_line(account, action, row.id.as_str());
    audit::write(tx, audit::Change { actor: by, ..change }.with(json!({ "kind": row.kind }))).await
}

impl TryFrom<job::Model> for JobRow {
    type Error = Error;

    fn try_from(row: job::Model) -> Result<Self> {
        Ok(Self {
            id: row.id.into(),
            kind: row.kind,
            account: row.account_id.map(AccountId::from),
            subject: row.subject,
            state: JobState::parse(&row.state)?,
            attempts: row.attempts,
            max_attempts: row.max_attempts,
            cancel_requested: row.cancel_requested,
            error: row.error,
            due_at: row.due_at,
            created_at: row.created_at,
            started_at: row.started_at,
            finished_at: row.finished_at,
        })
    }
}
