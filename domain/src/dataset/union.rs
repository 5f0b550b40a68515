//! Runs several queries of the same columns as one statement, so that fifty lists cost no more round trips than
//! one. Each query may have its own order and limit, which an index serves; a window function would number every
//! row of every list first.

use sea_orm::{
    ConnectionTrait, FromQueryResult, QueryResult,
    sea_query::{Alias, Asterisk, Expr, Query, SelectStatement, UnionType},
};

use crate::{Result, database::Database};

/// Queries per statement; SQLite allows 500.
const QUERIES_PER_STATEMENT: usize = 400;

/// Returns the rows of each query. Rows of one query come unordered.
pub(crate) async fn union_all<M: FromQueryResult>(
    db: &Database,
    queries: Vec<SelectStatement>,
) -> Result<Vec<Vec<M>>> {
    let mut found = Vec::with_capacity(queries.len());
    let mut queries = queries.into_iter().peekable();
    while queries.peek().is_some() {
        let some: Vec<_> = queries.by_ref().take(QUERIES_PER_STATEMENT).collect();
        let mut rows: Vec<Vec<M>> = some.iter().map(|_| Vec::new()).collect();
        for row in db.in_time(db.read().query_all(&union(some))).await? {
            rows[query_number(&row)?].push(M::from_query_result(&row, "")?);
        }
        found.append(&mut rows);
    }
    Ok(found)
}

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
