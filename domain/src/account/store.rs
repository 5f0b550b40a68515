//! Accounts as rows: how they begin, how they are found, what an operator sets.

use chrono::Utc;
use entity::{account, user};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, DatabaseTransaction, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
    sea_query::Expr,
};

use super::sign_up::{PersonRow, insert_person};
use crate::{
    Code, Error, Result,
    actor::{Actor, Role},
    amount::Amount,
    audit,
    credits::{Entry, Kind, post},
    database::Database,
    id::{AccountId, RequestId, UserId},
    password, session,
};

/// An account as it is stored.
pub type Row = account::Model;

/// Characters of a name.
const NAME_CHARS: usize = 100;

/// What a new account should be.
#[derive(Clone, Debug)]
pub struct NewAccount {
    /// Its owner's address.
    pub email: String,
    /// Its owner's password; without one the owner cannot sign in.
    pub password: Option<String>,
    /// What it starts with.
    pub credits: Amount,
}

/// Creates an account, its owner and its first grant, in one commit: for the command line.
///
/// # Errors
/// `VALIDATION_FAILED` for a bad address, a short password or negative credits; `CONFLICT` for an address in use.
pub async fn create(db: &Database, new: NewAccount) -> Result<(AccountId, UserId)> {
    let email = crate::email::normalize(&new.email)?;
    if new.credits.milli() < 0 {
        return Err(Error::invalid("credits", "must not be negative"));
    }
    let hash = match &new.password {
        Some(password) => Some(password::hash("password", password).await?),
        None => None,
    };
    let tx = db.begin().await?;
    let id = insert_account(&tx, &email, new.credits).await?;
    let owner = insert_person(&tx, &id, PersonRow { email, hash, role: Role::Owner }).await?;
    audit::write(&tx, audit::Change::by_command_line(&id, "account.create", id.as_str())).await?;
    tx.commit().await?;
    Ok((id, UserId::from(owner.id)))
}

/// Writes an account with its first grant.
pub(super) async fn insert_account(
    tx: &DatabaseTransaction,
    name: &str,
    credits: Amount,
) -> Result<AccountId> {
    let id = AccountId::new();
    let account = account::ActiveModel {
        id: Set(id.to_string()),
        name: Set(name.to_owned()),
        balance: Set(0),
        held: Set(0),
        ledger_seq: Set(0),
        rate_limit_per_minute: Set(None),
        created_at: Set(Utc::now()),
        ..Default::default()
    };
    account::Entity::insert(account).exec_without_returning(tx).await?;
    if credits.milli() > 0 {
        let grant = Entry::new(id.clone(), RequestId::new(), Kind::Grant, credits);
        post(tx, &[grant], false, &[]).await?;
    }
    Ok(id)
}

/// The refusal of an address that somebody has.
pub(super) fn taken(email: &str) -> Error {
    Error::new(Code::Conflict, format!("{email} has an account already"))
}

/// One account.
///
/// # Errors
/// `NOT_FOUND` without it.
pub async fn find(db: &Database, id: &AccountId) -> Result<account::Model> {
    let row = account::Entity::find_by_id(id.as_str()).one(db.read()).await?;
    row.ok_or_else(|| Error::new(Code::NotFound, format!("no account {id}")))
}

/// Requests a minute that an account allows each of its keys and people: 0 for no limit, none for the deployment's.
pub async fn rate_limit(db: &Database, id: &AccountId) -> Result<Option<u32>> {
    let limit = account::Entity::find_by_id(id.as_str()).select_only();
    let limit = limit.column(account::Column::RateLimitPerMinute).into_tuple::<Option<i32>>();
    let limit = db.in_time(limit.one(db.read())).await?.flatten();
    Ok(limit.and_then(|limit| u32::try_from(limit).ok()))
}

/// The account of the person with this address.
///
/// # Errors
/// `NOT_FOUND` without such a person.
pub async fn find_by_email(db: &Database, email: &str) -> Result<AccountId> {
    let email = crate::email::normalize(email)?;
    let row = user::Entity::find().filter(user::Column::Email.eq(&email)).one(db.read()).await?;
    let row = row.ok_or_else(|| Error::new(Code::NotFound, format!("no account of {email}")))?;
    Ok(AccountId::from(row.account_id))
}

/// All accounts, oldest first.
pub async fn list(db: &Database) -> Result<Vec<account::Model>> {
    Ok(account::Entity::find().order_by_asc(account::Column::Id).all(db.read()).await?)
}

/// Renames an account.
///
/// # Errors
/// `FORBIDDEN` unless an owner does it; `VALIDATION_FAILED` for a name that is none.
pub async fn rename(db: &Database, actor: &Actor, name: &str) -> Result<Row> {
    actor.require(Role::Owner)?;
    let name = name.trim();
    if name.is_empty() || name.chars().count() > NAME_CHARS || name.chars().any(char::is_control) {
        let message = format!("must be 1 to {} characters on one line", NAME_CHARS);
        return Err(Error::invalid("name", message));
    }
    let tx = db.begin().await?;
    account::Entity::update_many()
        .col_expr(account::Column::Name, Expr::value(name))
        .filter(account::Column::Id.eq(actor.account.as_str()))
        .filter(account::Column::ErasedAt.is_null())
        .exec(&tx)
        .await?;
    audit::write(&tx, audit::Change::by(actor, "account.update", actor.account.as_str())).await?;
    tx.commit().await?;
    find(db, &actor.account).await
}

/// Limits requests a minute for each key of an account that has no limit of its own; none inherits the deployment's.
///
/// # Errors
/// `NOT_FOUND` without such an account.
pub async fn set_rate_limit(db: &Database, id: &AccountId, per_minute: Option<u32>) -> Result<()> {
    let limit = per_minute.map(|limit| i32::try_from(limit).unwrap_or(i32::MAX));
    let set = account::Entity::update_many()
        .col_expr(account::Column::RateLimitPerMinute, Expr::value(limit))
        .filter(account::Column::Id.eq(id.as_str()))
        .exec(db.write())
        .await?;
    if set.rows_affected == 0 {
        return Err(Error::new(Code::NotFound, format!("no account {id}")));
    }
    Ok(())
}

/// Gives a person a new password, and ends their sessions.
///
/// # Errors
/// `NOT_FOUND` without such a person, `VALIDATION_FAILED` for a short password.
pub async fn reset_password(db: &Database, email: &str, password: &str) -> Result<()> {
    let email = crate::email::normalize(email)?;
    let hash = password::hash("password", password).await?;
    let tx = db.begin().await?;
    let row = user::Entity::find().filter(user::Column::Email.eq(&email)).one(&tx).await?;
    let row = row.ok_or_else(|| Error::new(Code::NotFound, format!("no user {email}")))?;
    let (account, user) = (AccountId::from(row.account_id), UserId::from(row.id));
    user::Entity::update_many()
        .col_expr(user::Column::PasswordHash, Expr::value(hash))
        .filter(user::Column::Id.eq(user.as_str()))
        .exec(&tx)
        .await?;
    session::end_others(&tx, &user, None).await?;
    audit::write(&tx, audit::Change::by_command_line(&account, "user.reset_password", user.as_str())).await?;
    tx.commit().await?;
    Ok(())
}
