//! Accounts and the people who sign in to them.

use argon2::{Argon2, PasswordHasher};
use chrono::Utc;
use entity::{account, user};
use rand::Rng;
use sea_orm::{ActiveValue::Set, ColumnTrait, EntityTrait, QueryFilter, QueryOrder, SqlErr, sea_query::Expr};

use crate::{
    Code, Error, Result,
    credits::{Amount, Entry, Kind, post},
    database::Database,
    id::{AccountId, RequestId, UserId},
};

/// An account as it is stored.
pub type Row = account::Model;

/// Fewest characters of a password.
pub const MIN_PASSWORD_CHARS: usize = 10;

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

/// Creates an account, its owner and its first grant, in one commit.
///
/// # Errors
/// `VALIDATION_FAILED` for a bad address, a short password or negative credits; `CONFLICT` for an address in use.
pub async fn create(db: &Database, new: NewAccount) -> Result<(AccountId, UserId)> {
    let email = normalize_email(&new.email)?;
    if new.credits.milli() < 0 {
        return Err(Error::invalid("credits", "must not be negative"));
    }
    let password_hash = new.password.as_deref().map(hash_password).transpose()?;
    let (id, owner, now) = (AccountId::new(), UserId::new(), Utc::now());
    let account = account::ActiveModel {
        id: Set(id.to_string()),
        name: Set(email.clone()),
        balance: Set(0),
        held: Set(0),
        ledger_seq: Set(0),
        rate_limit_per_minute: Set(None),
        created_at: Set(now),
    };
    let user = user::ActiveModel {
        id: Set(owner.to_string()),
        account_id: Set(id.to_string()),
        email: Set(email.clone()),
        password_hash: Set(password_hash),
        role: Set("owner".to_owned()),
        operator: Set(false),
        created_at: Set(now),
    };
    let tx = db.begin().await?;
    account::Entity::insert(account).exec_without_returning(&tx).await?;
    match user::Entity::insert(user).exec_without_returning(&tx).await {
        Err(error) if matches!(error.sql_err(), Some(SqlErr::UniqueConstraintViolation(_))) => {
            return Err(Error::new(Code::Conflict, format!("{email} has an account already")));
        }
        inserted => inserted?,
    };
    if new.credits.milli() > 0 {
        let grant = Entry::new(id.clone(), RequestId::new(), Kind::Grant, new.credits);
        post(&tx, &[grant], false).await?;
    }
    tx.commit().await?;
    Ok((id, owner))
}

/// One account.
///
/// # Errors
/// `NOT_FOUND` without it.
pub async fn find(db: &Database, id: &AccountId) -> Result<account::Model> {
    let row = account::Entity::find_by_id(id.as_str()).one(db.read()).await?;
    row.ok_or_else(|| Error::new(Code::NotFound, format!("no account {id}")))
}

/// The account of the person with this address.
///
/// # Errors
/// `NOT_FOUND` without such a person.
pub async fn find_by_email(db: &Database, email: &str) -> Result<AccountId> {
    let email = normalize_email(email)?;
    let row = user::Entity::find().filter(user::Column::Email.eq(&email)).one(db.read()).await?;
    let row = row.ok_or_else(|| Error::new(Code::NotFound, format!("no account of {email}")))?;
    Ok(AccountId::from(row.account_id))
}

/// All accounts, oldest first.
pub async fn list(db: &Database) -> Result<Vec<account::Model>> {
    Ok(account::Entity::find().order_by_asc(account::Column::Id).all(db.read()).await?)
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

/// Gives a person a new password.
///
/// # Errors
/// `NOT_FOUND` without such a person, `VALIDATION_FAILED` for a short password.
pub async fn reset_password(db: &Database, email: &str, password: &str) -> Result<()> {
    let (email, hash) = (normalize_email(email)?, hash_password(password)?);
    let set = user::Entity::update_many()
        .col_expr(user::Column::PasswordHash, Expr::value(hash))
        .filter(user::Column::Email.eq(&email))
        .exec(db.write())
        .await?;
    if set.rows_affected == 0 {
        return Err(Error::new(Code::NotFound, format!("no user {email}")));
    }
    Ok(())
}

/// A password nobody has to think of: 20 random letters and digits without look-alikes.
pub fn random_password() -> String {
    const ALPHABET: &[u8] = b"abcdefghjkmnpqrstuvwxyz23456789";
    let mut rng = rand::rng();
    (0..20).map(|_| char::from(ALPHABET[rng.random_range(0..ALPHABET.len())])).collect()
}

fn normalize_email(email: &str) -> Result<String> {
    let email = email.trim().to_lowercase();
    let plausible = email.len() <= 254
        && !email.contains(|c: char| c.is_whitespace() || c.is_control())
        && email.split_once('@').is_some_and(|(name, host)| !name.is_empty() && !host.is_empty());
    if plausible { Ok(email) } else { Err(Error::invalid("email", "must be an e-mail address")) }
}

/// Argon2id with the library's recommended parameters (19 MiB, 2 passes), as a PHC string.
fn hash_password(password: &str) -> Result<String> {
    if password.chars().count() < MIN_PASSWORD_CHARS {
        let message = format!("must be at least {MIN_PASSWORD_CHARS} characters long");
        return Err(Error::invalid("password", message));
    }
    let hash = Argon2::default().hash_password(password.as_bytes());
    Ok(hash.map_err(|error| Error::internal(error.to_string()))?.to_string())
}
