//! Erases an account's billing data. Amounts and totals remain, without references.

use chrono::Utc;
use entity::{account, hold, idempotency, ledger};
use sea_orm::{ColumnTrait, DatabaseTransaction, EntityTrait, QueryFilter, sea_query::Expr};

use super::post::lock;
use crate::{Code, Error, Result};
use ports::id::AccountId;

/// Locks the account, deletes its holds and stored answers, blanks its ledger and marks it erased. A charge of a
/// request in flight then finds no account, and that request fails without a charge.
///
/// # Errors
/// `NOT_FOUND` when the account does not exist or has been erased already.
pub(crate) async fn erase(tx: &DatabaseTransaction, id: &AccountId) -> Result<()> {
    let id = id.as_str();
    if lock(tx, [id]).await?.is_empty() {
        return Err(Error::new(Code::NotFound, format!("there is no account {id}")));
    }
    hold::Entity::delete_many().filter(hold::Column::AccountId.eq(id)).exec(tx).await?;
    idempotency::Entity::delete_many().filter(idempotency::Column::AccountId.eq(id)).exec(tx).await?;
    let null = Expr::value(Option::<String>::None);
    ledger::Entity::update_many()
        .col_expr(ledger::Column::Reference, null.clone())
        .col_expr(ledger::Column::ApiKeyId, null.clone())
        .col_expr(ledger::Column::UserId, null.clone())
        .col_expr(ledger::Column::JobId, null.clone())
        .col_expr(ledger::Column::JudgeId, null.clone())
        .col_expr(ledger::Column::Note, null.clone())
        .filter(ledger::Column::AccountId.eq(id))
        .exec(tx)
        .await?;
    account::Entity::update_many()
        .col_expr(account::Column::Name, Expr::value("erased"))
        .col_expr(account::Column::Held, Expr::value(0i64))
        .col_expr(account::Column::RateLimitPerMinute, Expr::value(Option::<i32>::None))
        .col_expr(account::Column::ErasedAt, Expr::value(Utc::now()))
        .filter(account::Column::Id.eq(id))
        .exec(tx)
        .await?;
    Ok(())
}
