//! Counts the statements of every connection.

use sea_orm::DatabaseConnection;

/// Counts the statements on a connection and its transactions in a metric.
pub(super) fn count_statements(mut connection: DatabaseConnection) -> DatabaseConnection {
    connection.set_metric_callback(|statement| {
        let outcome = if statement.failed { "failed" } else { "done" };
        metrics::counter!("gavel_database_statements_total", "outcome" => outcome).increment(1);
    });
    connection
}
