//! Answers stored in the commit of their charge.

use async_trait::async_trait;
use sea_orm::{ConnectionTrait, DatabaseTransaction, DbErr, Statement};

use crate::{
    foundation::json_bytes::json_bytes,
    money::credits::{PostedRow, SideTable},
};

/// The answer to store under a client's `Idempotency-Key`. The receipt is added when it is known.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) key: String,
    /// The outcome of the work, as JSON.
    pub(crate) outcome: serde_json::Value,
}

/// Writes the [`Answer`]s that accompany charges.
pub(crate) struct AnswerTable;

#[async_trait]
impl SideTable for AnswerTable {
    type Row = Answer;

    /// Writes all answers in one statement.
    async fn write(&self, tx: &DatabaseTransaction, rows: &[PostedRow<'_, Answer>]) -> Result<(), DbErr> {
        let mut values = Vec::new();
        let mut tuples = Vec::new();
        for PostedRow { row: answer, entry, receipt } in rows {
            let stored = serde_json::json!({ "receipt": receipt, "outcome": answer.outcome }).to_string();
            let n = values.len();
            tuples.push(format!("(${}, ${}, ${}, ${})", n + 1, n + 2, n + 3, n + 4));
            values.extend([
                entry.account.as_str().into(),
                answer.key.as_str().into(),
                entry.request_id.as_str().into(),
                stored.into(),
            ]);
        }
        let sql = format!(
            "WITH new(account, key, request, answer) AS (VALUES {}) \
             UPDATE idempotency SET answer = new.answer FROM new \
             WHERE account_id = new.account AND idempotency.key = new.key AND request_id = new.request",
            tuples.join(", ")
        );
        tx.execute_raw(Statement::from_sql_and_values(tx.get_database_backend(), sql, values)).await?;
        Ok(())
    }

    fn bytes(&self, answer: &Answer) -> usize {
        json_bytes(&answer.outcome)
    }

    // Refunds delete nothing here: the resolver deletes stored answers itself, because it must know whether one was
    // repeated.
}
