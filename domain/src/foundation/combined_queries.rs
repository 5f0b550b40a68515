//! Runs several queries of the same columns as one statement, so that fifty lists cost no more round trips than
//! one. Each query may have its own order and limit, which an index serves; a window function would number every
//! row of every list first.

use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, FromQueryResult, QueryFilter, QueryOrder, QueryResult,
    QuerySelect, QueryTrait, Select,
    sea_query::{Alias, Asterisk, Expr, Query, SelectStatement, UnionType},
};

use crate::{
    Result,
    foundation::{
        database::Database,
        page::{Page, Slice, Take},
    },
};
use ports::id::AccountId;

/// Queries per statement; SQLite allows 500.
const QUERIES_PER_STATEMENT: usize = 400;

/// Returns the rows of each query. Rows of one query come unordered.
pub(crate) async fn union_all<M: FromQueryResult>(
    db: &Database,
    queries: Vec<SelectStatement>,
) -> Result<Vec<Vec<M>>> {
    gather(db, None, queries).await
}

/// As [`union_all`], for an account's queries that no index serves, on the connections for long queries.
pub(crate) async fn scan_all<M: FromQueryResult>(
    db: &Database,
    account: &AccountId,
    queries: Vec<SelectStatement>,
) -> Result<Vec<Vec<M>>> {
    gather(db, Some(account), queries).await
}

async fn gather<M: FromQueryResult>(
    db: &Database,
    scanned: Option<&AccountId>,
    queries: Vec<SelectStatement>,
) -> Result<Vec<Vec<M>>> {
    let mut found = Vec::with_capacity(queries.len());
    let mut queries = queries.into_iter().peekable();
    while queries.peek().is_some() {
        let some: Vec<_> = queries.by_ref().take(QUERIES_PER_STATEMENT).collect();
        let mut rows: Vec<Vec<M>> = some.iter().map(|_| Vec::new()).collect();
        let statement = db.read().get_database_backend().build(&union(some));
        let all = match scanned {
            Some(account) => db.long_queries().query_all(account, statement).await?,
            None => db.in_time(db.read().query_all_raw(statement)).await?,
        };
        for row in all {
            rows[query_number(&row)?].push(M::from_query_result(&row, "")?);
        }
        found.append(&mut rows);
    }
    Ok(found)
}

/// Counts the rows of each query. `scanned`: the account of queries that no index serves.
pub(crate) async fn count_all(
    db: &Database,
    scanned: Option<&AccountId>,
    queries: impl Iterator<Item = SelectStatement>,
) -> Result<Vec<u64>> {
    #[derive(FromQueryResult)]
    struct Counted {
        n: i64,
    }
    let counted = queries.map(|mut query| {
        query.clear_selects().expr_as(Expr::cust("COUNT(*)"), Alias::new("n"));
        query
    });
    let counted: Vec<Vec<Counted>> = gather(db, scanned, counted.collect()).await?;
    let first = counted.iter().map(|rows| rows.first().map_or(0, |row| row.n));
    Ok(first.map(|n| u64::try_from(n).unwrap_or_default()).collect())
}

/// Reads a page of each query, newest first. The keys are ids in the column `id`, which `id_of` reads.
pub(crate) async fn newest_first<E: EntityTrait, M: FromQueryResult>(
    db: &Database,
    id: E::Column,
    id_of: fn(&M) -> &str,
    wanted: Vec<(Select<E>, &Page<String>)>,
) -> Result<Vec<Slice<M>>> {
    let queries = wanted.iter().map(|(query, page)| {
        let after = page.after.as_ref().map(|after| id.lt(after));
        let before = page.before.as_ref().map(|before| id.gt(before));
        let query = after.into_iter().chain(before).fold(query.clone(), Select::filter);
        let query = match page.take {
            Take::First(rows) => query.order_by_desc(id).limit(rows + 1),
            Take::Last(rows) => query.order_by_asc(id).limit(rows + 1),
        };
        query.into_query()
    });
    let found: Vec<Vec<M>> = union_all(db, queries.collect()).await?;
    let mut slices = Vec::with_capacity(found.len());
    for ((_, page), mut rows) in wanted.iter().zip(found) {
        rows.sort_unstable_by(|a, b| id_of(b).cmp(id_of(a)));
        slices.push(page.cut(rows));
    }
    Ok(slices)
}

/// The column with the number of the query that a row belongs to.
const QUERY_NUMBER: &str = "whose";

fn query_number(row: &QueryResult) -> Result<usize> {
    let number: i32 = row.try_get("", QUERY_NUMBER)?;
    usize::try_from(number).map_err(crate::Error::internal)
}

/// Builds the union; each row carries the number of its query.
fn union(queries: Vec<SelectStatement>) -> SelectStatement {
    let numbered = queries.into_iter().zip(0i32..).map(|(query, number)| {
        // A sub-query, since SQLite allows neither ORDER BY nor LIMIT inside a union.
        let mut whole = Query::select();
        whole
            .column(Asterisk)
            .expr_as(Expr::Constant(number.into()), Alias::new(QUERY_NUMBER))
            .from_subquery(query, Alias::new("one"));
        whole
    });
    let mut numbered = numbered.into_iter();
    let mut all = numbered.next().unwrap_or_default();
    all.unions(numbered.map(|query| (UnionType::All, query)));
    all
}
