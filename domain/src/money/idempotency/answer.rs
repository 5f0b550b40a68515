//! Answers stored in the commit of their charge.

use async_trait::async_trait;
use sea_orm::{ConnectionTrait, DatabaseTransaction, DbErr, Statement};

use crate::{
    foundation::json_bytes::json_bytes,
    money::credits::{PostedEntry, SideRow, SideTable},
};
use ports::id::AccountId;

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
    /// Writes all answers in one statement.
    async fn write(&self, tx: &DatabaseTransaction, posted: &[PostedEntry<'_>]) -> Result<(), DbErr> {
        let mut values = Vec::new();
        let mut tuples = Vec::new();
        for PostedEntry { entry, receipt } in posted {
            for answer in entry.side_rows.iter().filter_map(|row| row.downcast_ref::<Answer>()) {
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
        }
        if tuples.is_empty() {
            return Ok(());
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

    fn bytes(&self, row: &SideRow) -> usize {
        row.downcast_ref::<Answer>().map_or(0, |answer| json_bytes(&answer.outcome))
    }

    /// Deletes nothing: the resolver deletes stored answers itself, because it must know whether one was repeated.
    async fn delete_refunded(&self, _: &DatabaseTransaction, _: &[&str]) -> Result<(), DbErr> {
        Ok(())
    }

    fn announce(&self, _: &AccountId, _: &SideRow) {}
}
