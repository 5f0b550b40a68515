//! The log of requests that were refused or failed, so that a request can be looked up by its id. Rows have no content
//! and are kept for two weeks. They are written in the background, and some may be lost when the process ends.

use std::{sync::Arc, time::Duration};

use chrono::{DateTime, TimeDelta, Utc};
use entity::failed_request;
use sea_orm::{
    ActiveValue::{NotSet, Set},
    ColumnTrait, EntityTrait, PaginatorTrait, QueryFilter, Select,
};
use tokio::sync::mpsc;

use super::{
    database::Database,
    page::{Page, Slice, slice},
    quota::Quota,
    search::without_nul,
};
use crate::Result;
use ports::id::{AccountId, RequestId};

/// The most requests that wait to be written; further ones are dropped.
const MAX_UNWRITTEN: usize = 1_000;
/// Rows per statement.
const ROWS_PER_INSERT: usize = 200;
/// How long rows wait for others.
const WRITE_INTERVAL: Duration = Duration::from_secs(1);
/// Requests kept per minute of each account, and of all unknown senders together.
const KEPT_PER_MINUTE: u32 = 60;
const MESSAGE_CHARS: usize = 500;
const KEPT_FOR: TimeDelta = TimeDelta::days(14);
/// Statuses from here on are the server's fault.
const SERVER_ERROR: i32 = 500;

/// A request that was refused or failed.
#[derive(Clone, Debug, PartialEq)]
pub struct FailedRequest {
    pub id: RequestId,
    /// `None` when nobody is known to have sent it.
    pub account: Option<AccountId>,
    /// `key_…` or `user_…`.
    pub actor: Option<String>,
    pub method: String,
    /// The path with its parameters' names.
    pub route: String,
    /// The HTTP status.
    pub status: u16,
    /// The error's code.
    pub code: String,
    pub message: String,
    /// Milliseconds.
    pub latency_ms: f64,
    pub at: DateTime<Utc>,
}

/// A row of a list, with its position.
#[derive(Clone, Debug, PartialEq)]
pub struct FailedRequestRow {
    pub seq: i64,
    pub request: FailedRequest,
}

/// Which requests to list; a field that is `None` does not filter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FailedRequestFilter {
    /// Those of this account; without it, those of all that are the server's fault.
    pub account: Option<AccountId>,
    pub request: Option<String>,
    pub status: Option<i32>,
    /// `key_…` or `user_…`.
    pub actor: Option<String>,
}

/// The requests of all accounts. Cheap to clone.
#[derive(Clone)]
pub struct FailedRequests {
    db: Database,
    unwritten: mpsc::Sender<FailedRequest>,
    /// By account; `None` for unknown senders.
    kept: Arc<Quota<Option<AccountId>>>,
}

impl FailedRequests {
    /// Starts the task that writes them. Must run inside a Tokio runtime.
    pub fn start(db: Database) -> Self {
        let (unwritten, requests) = mpsc::channel(MAX_UNWRITTEN);
        tokio::spawn(write(db.clone(), requests));
        let kept = Quota::new(Duration::from_secs(60), KEPT_PER_MINUTE);
        Self { db, unwritten, kept: Arc::new(kept) }
    }

    /// Keeps a request, unless too many of its account were kept in this minute. Does not wait.
    pub fn keep(&self, request: FailedRequest) {
        if self.kept.take(&request.account) {
            let _ = self.unwritten.try_send(request);
        }
    }

    /// A page of requests, newest first, keyed by `seq`.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` when the database does not answer.
    pub async fn list(
        &self,
        filter: &FailedRequestFilter,
        page: Page<i64>,
    ) -> Result<Slice<FailedRequestRow>> {
        let rows: Slice<failed_request::Model> =
            slice(filter.select(), failed_request::Column::Seq, true, page, self.db.read()).await?;
        Ok(rows.map(FailedRequestRow::from))
    }

    /// Counts the requests that match a filter.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` when the database does not answer.
    pub async fn count(&self, filter: &FailedRequestFilter) -> Result<u64> {
        Ok(filter.select().count(self.db.read()).await?)
    }

    /// Removes old ones; returns how many.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` when the database does not answer.
    pub async fn prune(&self) -> Result<u64> {
        let old = failed_request::Column::CreatedAt.lt(Utc::now() - KEPT_FOR);
        let pruned = failed_request::Entity::delete_many().filter(old).exec(self.db.write());
        Ok(pruned.await?.rows_affected)
    }
}

impl FailedRequestFilter {
    fn select(&self) -> Select<failed_request::Entity> {
        use failed_request::Column;
        let mut select = failed_request::Entity::find();
        select = match &self.account {
            Some(account) => select.filter(Column::AccountId.eq(account.as_str())),
            None => select.filter(Column::Status.gte(SERVER_ERROR)),
        };
        if let Some(request) = self.request.as_deref().map(without_nul) {
            select = select.filter(Column::RequestId.eq(request));
        }
        if let Some(status) = self.status {
            select = select.filter(Column::Status.eq(status));
        }
        if let Some(actor) = self.actor.as_deref().map(without_nul) {
            select = select.filter(Column::Actor.eq(actor));
        }
        select
    }
}

impl From<failed_request::Model> for FailedRequestRow {
    fn from(row: failed_request::Model) -> Self {
        let request = FailedRequest {
            id: RequestId::from(row.request_id),
            account: row.account_id.map(AccountId::from),
            actor: row.actor,
            method: row.method,
            route: row.route,
            status: u16::try_from(row.status).unwrap_or_default(),
            code: row.code,
            message: row.message,
            latency_ms: row.latency_ms,
            at: row.created_at,
        };
        Self { seq: row.seq, request }
    }
}

/// Writes what comes, some at once, until the last sender is gone.
async fn write(db: Database, mut requests: mpsc::Receiver<FailedRequest>) {
    let mut some = Vec::with_capacity(ROWS_PER_INSERT);
    while requests.recv_many(&mut some, ROWS_PER_INSERT).await > 0 {
        let rows = some.drain(..).map(row);
        let insert = failed_request::Entity::insert_many(rows).exec_without_returning(db.write());
        if let Err(error) = db.in_time(insert).await {
            tracing::warn!(%error, "some failed requests were not recorded");
        }
        tokio::time::sleep(WRITE_INTERVAL).await;
    }
}

fn row(request: FailedRequest) -> failed_request::ActiveModel {
    let message = without_nul(&request.message);
    failed_request::ActiveModel {
        seq: NotSet,
        account_id: Set(request.account.map(|account| account.to_string())),
        request_id: Set(request.id.to_string()),
        actor: Set(request.actor),
        method: Set(request.method),
        route: Set(request.route),
        status: Set(request.status.into()),
        code: Set(request.code),
        message: Set(message.chars().take(MESSAGE_CHARS).collect()),
        latency_ms: Set(request.latency_ms),
        created_at: Set(request.at),
    }
}
