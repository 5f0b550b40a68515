//! The ledger, read: page by page for people, and summed by the database for charts.

use chrono::{DateTime, DurationRound, TimeDelta, Utc};
use entity::ledger;
use sea_orm::{ColumnTrait, DbBackend, EntityTrait, FromQueryResult, PaginatorTrait, QueryFilter, Statement};

use super::Kind;
use crate::{
    Error, Result,
    amount::Amount,
    database::Database,
    id::AccountId,
    page::{Page, Slice, slice},
};

/// Stretches of time that one answer may be divided into.
const BUCKETS: i64 = 1_000;
/// What is summed when nobody says.
const DEFAULT: TimeDelta = TimeDelta::days(30);

/// One movement of credits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Movement {
    /// Its place in the account's ledger: 1, 2, 3, …
    pub seq: i64,
    /// Why.
    pub kind: Kind,
    /// How much: negative for a charge.
    pub amount: Amount,
    /// The balance since.
    pub balance_after: Amount,
    /// The request that it was for.
    pub request_id: String,
    /// What it was for, such as `mod_…`.
    pub reference: Option<String>,
    /// The route charged for.
    pub endpoint: Option<String>,
    /// The key that spent it: `key_…`.
    pub api_key: Option<String>,
    /// A person's reason.
    pub note: Option<String>,
    /// When.
    pub created_at: DateTime<Utc>,
}

/// Which movements.
#[derive(Clone, Debug, Default)]
pub struct MovementFilter {
    /// Only of this kind.
    pub kind: Option<Kind>,
    /// Only at this moment or later.
    pub since: Option<DateTime<Utc>>,
    /// Only before this moment.
    pub until: Option<DateTime<Utc>>,
}

/// A page of an account's ledger, newest first; keys are `seq`.
pub async fn movements(
    db: &Database,
    account: &AccountId,
    filter: &MovementFilter,
    page: Page<i64>,
) -> Result<Slice<Movement>> {
    let Slice { items, has_previous, has_next } =
        slice(filtered(account, filter), ledger::Column::Seq, true, page, db.read()).await?;
    let items = items.into_iter().map(read).collect::<Result<_>>()?;
    Ok(Slice { items, has_previous, has_next })
}

/// How many movements there are.
pub async fn count_movements(db: &Database, account: &AccountId, filter: &MovementFilter) -> Result<u64> {
    Ok(filtered(account, filter).count(db.read()).await?)
}

/// How long a stretch of time is, in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bucket {
    /// An hour.
    Hour,
    /// A day.
    Day,
    /// A month of the calendar.
    Month,
}

/// From when until when, in stretches of what length.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    /// From this moment on; 30 days before the end without.
    pub from: Option<DateTime<Utc>>,
    /// Up to this moment, which is not part of it; now without.
    pub to: Option<DateTime<Utc>>,
    /// The length of a stretch.
    pub bucket: Bucket,
}

/// What one route was used for in one stretch of time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Usage {
    /// When the stretch begins.
    pub start: DateTime<Utc>,
    /// The route.
    pub endpoint: String,
    /// Requests that were charged and not refunded.
    pub requests: i64,
    /// What they cost.
    pub credits: Amount,
}

/// What an account has used, by route and by stretch of time; those without use are left out. In order of time, then route.
///
/// # Errors
/// `VALIDATION_FAILED` for an end that is not after the beginning, and for more than 1,000 stretches.
pub async fn usage(db: &Database, account: &AccountId, span: Span) -> Result<Vec<Usage>> {
    let to = span.to.unwrap_or_else(Utc::now);
    let from = match span.from {
        Some(from) => from,
        None => to.checked_sub_signed(DEFAULT).ok_or_else(|| Error::invalid("to", "is out of range"))?,
    };
    check(from, to, span.bucket)?;
    let backend = db.read().get_database_backend();
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
    let sql = format!(
        "SELECT {start} AS start, COALESCE(endpoint, '') AS endpoint, \
                CAST(SUM(CASE kind WHEN 'charge' THEN 1 ELSE -1 END) AS BIGINT) AS requests, \
                CAST(-SUM(delta) AS BIGINT) AS credits \
         FROM ledger \
         WHERE account_id = $1 AND created_at >= $2 AND created_at < $3 AND kind IN ('charge', 'refund') \
         GROUP BY 1, 2 ORDER BY 1, 2"
    );
    let statement =
        Statement::from_sql_and_values(backend, sql, [account.as_str().into(), from.into(), to.into()]);
    let rows = db.in_time(UsageRow::find_by_statement(statement).all(db.read())).await?;
    rows.into_iter().map(UsageRow::read).collect()
}

/// A row of sums.
#[derive(FromQueryResult)]
struct UsageRow {
    start: String,
    endpoint: String,
    requests: i64,
    credits: i64,
}

impl UsageRow {
    fn read(self) -> Result<Usage> {
        let start = DateTime::parse_from_rfc3339(&self.start).map_err(Error::internal)?;
        Ok(Usage {
            start: start.with_timezone(&Utc),
            endpoint: self.endpoint,
            requests: self.requests,
            credits: Amount::from_milli(self.credits),
        })
    }
}

fn check(from: DateTime<Utc>, to: DateTime<Utc>, bucket: Bucket) -> Result<()> {
    if to <= from {
        return Err(Error::invalid("to", "must be after `from`"));
    }
    let length = match bucket {
        Bucket::Hour => TimeDelta::hours(1),
        Bucket::Day => TimeDelta::days(1),
        Bucket::Month => TimeDelta::days(28),
    };
    let first = from.duration_trunc(TimeDelta::hours(1)).unwrap_or(from);
    if (to - first).num_seconds() / length.num_seconds() < BUCKETS {
        return Ok(());
    }
    Err(Error::invalid("bucket", format!("is too short: `from` to `to` may be {BUCKETS} of them at most")))
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
    query
}

fn read(row: ledger::Model) -> Result<Movement> {
    Ok(Movement {
        seq: row.seq,
        kind: Kind::parse(&row.kind)?,
        amount: Amount::from_milli(row.delta),
        balance_after: Amount::from_milli(row.balance_after),
        request_id: row.request_id,
        reference: row.reference,
        endpoint: row.endpoint,
        api_key: row.api_key_id,
        note: row.note,
        created_at: row.created_at,
    })
}
