//! Counts the statements of every connection, and adds them to traces.

use std::time::SystemTime;

use opentelemetry::{
    Context, KeyValue, global,
    trace::{Span as _, SpanKind, Status, TraceContextExt as _, Tracer as _},
};
use sea_orm::{DatabaseConnection, metric::Info};

/// Counts the statements on a connection and its transactions in a metric, and makes each a span of the trace that it
/// belongs to.
pub(super) fn count_statements(mut connection: DatabaseConnection) -> DatabaseConnection {
    connection.set_metric_callback(|statement| {
        let outcome = if statement.failed { "failed" } else { "done" };
        metrics::counter!("gavel_database_statements_total", "outcome" => outcome).increment(1);
        if Context::map_current(|current| current.span().span_context().is_sampled()) {
            trace(statement);
        }
    });
    connection
}

/// A span with the operation and the table, and no values.
fn trace(statement: &Info<'_>) {
    let end = SystemTime::now();
    let operation = operation(&statement.statement.sql);
    let table = table(&statement.statement.sql);
    let tracer = global::tracer("gavel");
    let mut span = tracer
        .span_builder(format!("{operation} {table}"))
        .with_kind(SpanKind::Client)
        .with_start_time(end - statement.elapsed)
        .with_attributes([
            KeyValue::new("db.operation.name", operation),
            KeyValue::new("db.collection.name", table),
        ])
        .start(&tracer);
    if statement.failed {
        span.set_status(Status::error("the statement failed"));
    }
    span.end_with_timestamp(end);
}

/// The first word, such as `SELECT`.
fn operation(sql: &str) -> String {
    sql.split_ascii_whitespace().next().unwrap_or_default().to_ascii_uppercase()
}

/// The first table that is named; empty where there is none.
fn table(sql: &str) -> String {
    let mut words = sql.split_ascii_whitespace();
    let named = words
        .find(|word| ["FROM", "INTO", "UPDATE", "JOIN"].iter().any(|key| word.eq_ignore_ascii_case(key)));
    let name = named.and_then(|_| words.next()).unwrap_or_default();
    // A subquery is no name.
    name.chars().filter(|char| char.is_ascii_alphanumeric() || *char == '_').collect()
}

#[cfg(test)]
mod tests {
    use super::{operation, table};

    #[test]
    fn a_statement_is_named_by_its_operation_and_table() {
        for (sql, expected) in [
            ("SELECT \"account\".\"id\" FROM \"account\" WHERE \"id\" = $1", ("SELECT", "account")),
            ("INSERT INTO \"ledger\" (\"id\") VALUES ($1)", ("INSERT", "ledger")),
            ("update job SET state = 'queued' WHERE id = $1", ("UPDATE", "job")),
            ("DELETE FROM sample", ("DELETE", "sample")),
            ("SELECT 1", ("SELECT", "")),
        ] {
            assert_eq!((operation(sql).as_str(), table(sql).as_str()), expected);
        }
    }
}
