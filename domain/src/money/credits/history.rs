//! Ledger queries: pages of entries, and usage totals per time bucket for charts.

use chrono::{DateTime, DurationRound, TimeDelta, Utc};
use entity::ledger;
use sea_orm::{ColumnTrait, DbBackend, EntityTrait, FromQueryResult, PaginatorTrait, QueryFilter, Statement};

use super::EntryKind;
use crate::{
    Error, Result,
    foundation::{
        database::Database,
        page::{Page, Slice, slice},
        search::without_nul,
    },
    money::amount::Amount,
};
use ports::id::{AccountId, JudgeId};

/// Maximum time buckets in one answer.
const MAX_BUCKETS: i64 = 1_000;
/// Maximum rows of usage in one answer.
const MAX_ROWS: usize = 10_000;
/// The range of usage when no beginning is given.
const DEFAULT_SPAN: TimeDelta = TimeDelta::days(30);

/// A ledger entry as read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Movement {
    /// The position in the account's ledger: 1, 2, 3, …
    pub seq: i64,
    pub kind: EntryKind,
    /// Negative for a charge.
    pub amount: Amount,
    /// The balance after this entry.
    pub balance_after: Amount,
    /// The messages, pictures and decisions that were charged or refunded; 0 for grants and adjustments.
    pub items: i64,
    pub request_id: String,
    /// The id of the result, such as `mod_…`.
    pub reference: Option<String>,
    pub endpoint: Option<String>,
    /// The API key that was charged: `key_…`.
    pub api_key: Option<String>,
    /// The signed-in user who was charged: `user_…`.
    pub user: Option<String>,
    /// The Judge that the charge is for.
    pub judge: Option<JudgeId>,
    /// The operator's reason.
    pub note: Option<String>,
    pub created_at: DateTime<Utc>,
}

/// A filter of ledger entries.
#[derive(Clone, Debug, Default)]
pub struct MovementFilter {
    pub kind: Option<EntryKind>,
    /// Inclusive.
    pub since: Option<DateTime<Utc>>,
    /// Exclusive.
    pub until: Option<DateTime<Utc>>,
    /// The id of the request.
    pub request: Option<String>,
}

/// Reads the ledgers of all accounts. Cheap to clone.
#[derive(Clone)]
pub struct LedgerReader {
    db: Database,
}

impl LedgerReader {
    pub fn new(db: Database) -> Self {
        Self { db }
    }

    /// A page of an account's ledger, newest first, keyed by `seq`.
    pub async fn movements(
        &self,
        account: &AccountId,
        filter: &MovementFilter,
        page: Page<i64>,
    ) -> Result<Slice<Movement>> {
        let rows: Slice<ledger::Model> =
            slice(filtered(account, filter), ledger::Column::Seq, true, page, self.db.read()).await?;
        rows.try_map(from_row)
    }

    /// Counts the entries that match a filter.
    pub async fn count_movements(&self, account: &AccountId, filter: &MovementFilter) -> Result<u64> {
        Ok(filtered(account, filter).count(self.db.read()).await?)
    }

    /// An account's usage by time bucket and group, ordered by time, then by route, Judge and payer. Buckets without
    /// usage are left out.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` when the end is not after the beginning, for more than 1,000 buckets, and for more than
    /// 10,000 rows.
    pub async fn usage(&self, account: &AccountId, span: Span, groups: UsageGroups) -> Result<Vec<Usage>> {
        let to = span.to.unwrap_or_else(Utc::now);
        let from = match span.from {
            Some(from) => from,
            None => {
                to.checked_sub_signed(DEFAULT_SPAN).ok_or_else(|| Error::invalid("to", "is out of range"))?
            }
        };
        check_span(from, to, span.bucket)?;
        let backend = self.db.read().get_database_backend();
        let start = match (backend, span.bucket) {
            (DbBackend::Postgres, Bucket::Hour) => {
                r#"to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:00:00"Z"')"#
            }
            (DbBackend::Postgres, Bucket::Day) => {
                r#"to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"00:00:00"Z"')"#
            }
            (DbBackend::Postgres, Bucket::Month) => {
                r#"to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM"-01T"00:00:00"Z"')"#
            }
            (_, Bucket::Hour) => "strftime('%Y-%m-%dT%H:00:00Z', created_at)",
            (_, Bucket::Day) => "strftime('%Y-%m-%dT00:00:00Z', created_at)",
            (_, Bucket::Month) => "strftime('%Y-%m-01T00:00:00Z', created_at)",
        };
        let endpoint = if groups.endpoint { "COALESCE(endpoint, '')" } else { UNGROUPED };
        let judge = if groups.judge { "judge_id" } else { UNGROUPED };
        let payer = if groups.payer { "COALESCE(user_id, api_key_id)" } else { UNGROUPED };
        let sql = format!(
            "SELECT {start} AS start, {endpoint} AS endpoint, {judge} AS judge, {payer} AS payer, \
                    CAST(SUM(CASE kind WHEN 'charge' THEN 1 ELSE -1 END) AS BIGINT) AS requests, \
                    CAST(SUM(CASE kind WHEN 'charge' THEN items ELSE -items END) AS BIGINT) AS items, \
                    CAST(-SUM(delta) AS BIGINT) AS credits \
             FROM ledger \
             WHERE account_id = $1 AND created_at >= $2 AND created_at < $3 AND kind IN ('charge', 'refund') \
             GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4 LIMIT {}",
            MAX_ROWS + 1
        );
        let statement =
            Statement::from_sql_and_values(backend, sql, [account.as_str().into(), from.into(), to.into()]);
        let rows = self.db.in_time(UsageRow::find_by_statement(statement).all(self.db.read())).await?;
        if rows.len() > MAX_ROWS {
            let message = format!("is too short: the answer would have more than {MAX_ROWS} rows");
            return Err(Error::invalid("bucket", message));
        }
        rows.into_iter().map(UsageRow::read).collect()
    }
}

/// The length of a time bucket, in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bucket {
    Hour,
    Day,
    /// A calendar month.
    Month,
}

/// A time range and its buckets.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    /// The beginning, inclusive; 30 days before the end by default.
    pub from: Option<DateTime<Utc>>,
    /// The end, exclusive; now by default.
    pub to: Option<DateTime<Utc>>,
    pub bucket: Bucket,
}

/// What usage is grouped by, in addition to the time bucket.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UsageGroups {
    pub endpoint: bool,
    pub judge: bool,
    pub payer: bool,
}

/// The usage of one group in one time bucket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Usage {
    /// The beginning of the bucket.
    pub start: DateTime<Utc>,
    /// The route; `None` if usage is not grouped by route.
    pub endpoint: Option<String>,
    /// The Judge; `None` if usage is not grouped by Judge, or a charge has none.
    pub judge: Option<JudgeId>,
    /// `key_…` or `user_…`: for a job's charges, the submitter. `None` if usage is not grouped by payer.
    pub payer: Option<String>,
    /// Requests charged and not refunded.
    pub requests: i64,
    /// The messages, pictures and decisions of these requests.
    pub items: i64,
    /// The total cost.
    pub credits: Amount,
}

/// The column of a row that is not grouped by it.
const UNGROUPED: &str = "CAST(NULL AS TEXT)";

/// A row of the usage query.
#[derive(FromQueryResult)]
struct UsageRow {
    start: String,
    endpoint: Option<String>,
    judge: Option<String>,
    payer: Option<String>,
    requests: i64,
    items: i64,
    credits: i64,
}

impl UsageRow {
    fn read(self) -> Result<Usage> {
        let start = DateTime::parse_from_rfc3339(&self.start).map_err(Error::internal)?;
        Ok(Usage {
            start: start.with_timezone(&Utc),
            endpoint: self.endpoint,
            judge: self.judge.map(JudgeId::from),
            payer: self.payer,
            requests: self.requests,
            items: self.items,
            credits: Amount::from_milli(self.credits),
        })
    }
}

fn check_span(from: DateTime<Utc>, to: DateTime<Utc>, bucket: Bucket) -> Result<()> {
    if to <= from {
        return Err(Error::invalid("to", "must be after `from`"));
    }
    let length = match bucket {
        Bucket::Hour => TimeDelta::hours(1),
        Bucket::Day => TimeDelta::days(1),
        Bucket::Month => TimeDelta::days(28),
    };
    let first = from.duration_trunc(TimeDelta::hours(1)).unwrap_or(from);
    if (to - first).num_seconds() / length.num_seconds() < MAX_BUCKETS {
        return Ok(());
    }
    Err(Error::invalid("bucket", format!("is too short: at most {MAX_BUCKETS} fit between `from` and `to`")))
}

fn filtered(account: &AccountId, filter: &MovementFilter) -> sea_orm::Select<ledger::Entity> {
    let mut query = ledger::Entity::find().filter(ledger::Column::AccountId.eq(account.as_str()));
    if let Some(kind) = filter.kind {
        query = query.filter(ledger::Column::Kind.eq(kind.as_str()));
    }
    if let Some(since) = filter.since {
        query = query.filter(ledger::Column::CreatedAt.gte(since));
    }
    if let Some(until) = filter.until {
        query = query.filter(ledger::Column::CreatedAt.lt(until));
    }
    if let Some(request) = &filter.request {
        query = query.filter(ledger::Column::RequestId.eq(without_nul(request)));
    }
    query
}

fn from_row(row: ledger::Model) -> Result<Movement> {
    Ok(Movement {
        seq: row.seq,
        kind: EntryKind::parse(&row.kind)?,
        amount: Amount::from_milli(row.delta),
        balance_after: Amount::from_milli(row.balance_after),
        items: row.items,
        request_id: row.request_id,
        reference: row.reference,
        endpoint: row.endpoint,
        api_key: row.api_key_id,
        user: row.user_id,
        judge: row.judge_id.map(JudgeId::from),
        note: row.note,
        created_at: row.created_at,
    })
}
