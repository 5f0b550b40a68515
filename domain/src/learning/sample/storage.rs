//! The bytes that each account has stored, and the quota for them.

use std::collections::BTreeMap;

use entity::storage;
use sea_orm::{ConnectionTrait, DbErr, EntityTrait, Statement, Value};

use crate::{Code, Error, Result, foundation::database::Database};
use ports::id::AccountId;

/// Adds bytes to what accounts have stored, or takes them away, in the caller's transaction. It locks the rows until
/// the transaction ends, so it comes last.
pub(crate) async fn add(on: &impl ConnectionTrait, bytes: BTreeMap<String, i64>) -> Result<(), DbErr> {
    let mut values: Vec<Value> = Vec::with_capacity(bytes.len() * 2);
    let mut rows = Vec::with_capacity(bytes.len());
    for (account, bytes) in bytes.into_iter().filter(|(_, bytes)| *bytes != 0) {
        let n = values.len();
        rows.push(format!("(CAST(${} AS TEXT), CAST(${} AS BIGINT))", n + 1, n + 2));
        values.extend([account.into(), bytes.into()]);
    }
    if rows.is_empty() {
        return Ok(());
    }
    let sql = format!(
        "INSERT INTO storage (account_id, bytes) VALUES {} \
         ON CONFLICT (account_id) DO UPDATE SET bytes = storage.bytes + excluded.bytes",
        rows.join(", ")
    );
    on.execute_raw(Statement::from_sql_and_values(on.get_database_backend(), sql, values)).await?;
    Ok(())
}

/// The bytes that an account has stored.
pub(crate) async fn stored(on: &impl ConnectionTrait, account: &AccountId) -> Result<i64, DbErr> {
    Ok(storage::Entity::find_by_id(account.as_str()).one(on).await?.map_or(0, |row| row.bytes))
}

/// Returns true while an account may record the samples of its requests. Those under way together may exceed the quota
/// a little.
pub(crate) async fn has_room(db: &Database, account: &AccountId) -> Result<bool> {
    Ok(db.in_time(stored(db.read(), account)).await? < db.account_bytes())
}

/// Checks that `more` bytes fit into an account's quota.
///
/// # Errors
/// `CONFLICT` with the figures.
pub(crate) async fn require_room(
    db: &Database,
    on: &impl ConnectionTrait,
    account: &AccountId,
    more: i64,
) -> Result<()> {
    let stored = stored(on, account).await?;
    let quota = db.account_bytes();
    if stored.saturating_add(more) <= quota {
        return Ok(());
    }
    let message = format!(
        "the account's samples take {stored} of at most {quota} bytes (`account_bytes`), and this would add {more}: \
         purge samples first, or add fewer"
    );
    Err(Error::new(Code::Conflict, message))
}
