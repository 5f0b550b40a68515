//! Answers of work that costs nothing, stored in the transaction of the work itself.

use sea_orm::{ConnectionTrait, Statement};

use super::Claim;
use crate::{
    Code, Error, Result,
    money::{amount::Amount, credits::Receipt},
};

/// Stores the outcome of unpaid work, in the caller's transaction.
///
/// # Errors
/// `CONFLICT` when the lease has expired and another request has taken over: the work must not be committed then.
pub(crate) async fn store_unpaid(
    tx: &impl ConnectionTrait,
    claim: &Claim,
    outcome: &serde_json::Value,
) -> Result<()> {
    let nothing = Amount::from_milli(0);
    let receipt = Receipt { deducted: nothing, remaining: nothing, seq: 0 };
    let stored = serde_json::json!({ "receipt": receipt, "outcome": outcome }).to_string();
    let sql = "UPDATE idempotency SET answer = $1 \
               WHERE account_id = $2 AND key = $3 AND request_id = $4 AND lease_until = $5 AND answer IS NULL";
    let values = [
        stored.into(),
        claim.account.as_str().into(),
        claim.key.as_str().into(),
        claim.request_id.as_str().into(),
        claim.lease_until.into(),
    ];
    let statement = Statement::from_sql_and_values(tx.get_database_backend(), sql, values);
    match tx.execute_raw(statement).await?.rows_affected() {
        1 => Ok(()),
        _ => Err(Error::new(Code::Conflict, "another request under this Idempotency-Key has taken over")),
    }
}
