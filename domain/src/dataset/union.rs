//! Several queries of one shape as one statement, so that fifty lists cost no more round trips than one. Each may have an
//! order and a limit of its own, which an index serves; a window function would number every row of every list first.

use sea_orm::{
    ConnectionTrait, FromQueryResult, QueryResult,
    sea_query::{Alias, Asterisk, Expr, Query, SelectStatement, UnionType},
};

use crate::{Result, database::Database};

/// Queries in one statement; SQLite takes 500.
const AT_ONCE: usize = 400;

/// What each of `queries` finds. Rows of one query come in no particular order.
pub(super) async fn union_all<M: FromQueryResult>(
    db: &Database,
    queries: Vec<SelectStatement>,
) -> Result<Vec<Vec<M>>> {
    let mut found = Vec::with_capacity(queries.len());
    let mut queries = queries.into_iter().peekable();
    while queries.peek().is_some() {
        let some: Vec<_> = queries.by_ref().take(AT_ONCE).collect();
        let mut rows: Vec<Vec<M>> = some.iter().map(|_| Vec::new()).collect();
        for row in db.in_time(db.read().query_all(&union(some))).await? {
            rows[whose(&row)?].push(M::from_query_result(&row, "")?);
        }
        found.append(&mut rows);
    }
    Ok(found)
}

const WHOSE: &str = "whose";

fn whose(row: &QueryResult) -> Result<usize> {
    let number: i32 = row.try_get("", WHOSE)?;
    usize::try_from(number).map_err(crate::Error::internal)
}

/// All of `queries`, each row with its query's number.
fn union(queries: Vec<SelectStatement>) -> SelectStatement {
    let numbered = queries.into_iter().zip(0i32..).map(|(query, number)| {
        // Within a sub-query, since SQLite takes no order and no limit inside a union.
        let mut whole = Query::select();
        whole
            .column(Asterisk)
            .expr_as(Expr::Constant(number.into()), Alias::new(WHOSE))
            .from_subquery(query, Alias::new("one"));
        whole
    });
    let mut numbered = numbered.into_iter();
    let mut all = numbered.next().unwrap_or_default();
    all.unions(numbered.map(|query| (UnionType::All, query)));
    all
}
