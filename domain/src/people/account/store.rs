//! Account rows: creation, lookup, name, rate limit and password reset.

use chrono::{DateTime, Utc};
use entity::{account, user};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Value, sea_query::Expr};

use serde_json::json;

use super::{
    Accounts,
    insert::{PersonRow, insert_account, insert_person},
};
use crate::{
    Code, Error, Result,
    foundation::{
        actor::{Actor, Role},
        allowed_backends::AllowedBackends,
        audit,
    },
    money::amount::Amount,
    people::{
        email::{self, Syntax},
        password::{self, Requester},
        session,
    },
};
use ports::id::{AccountId, UserId};

/// A row of the `account` table.
pub type AccountRow = account::Model;

/// Maximum characters of an account's name.
const NAME_CHARS: usize = 100;

/// The properties of a new account.
#[derive(Clone, Debug)]
pub struct NewAccount {
    /// The owner's e-mail address.
    pub email: String,
    /// The owner's password; without one the owner cannot sign in.
    pub password: Option<String>,
    /// The initial grant.
    pub credits: Amount,
    /// Since when it exists, for an account with examples; `None` for now.
    pub at: Option<DateTime<Utc>>,
}

/// What the operator allows an account.
#[derive(Clone, Debug, Default)]
pub struct AccountLimits {
    /// Requests a minute of all its keys together, and of each user: 0 for no limit, none for the deployment's default.
    pub rate_limit_per_minute: Option<u32>,
    /// The backends that its keys and users may ask.
    pub backends: AllowedBackends,
}

/// A limit to set, with what the audit log says of it.
struct NewLimit {
    column: account::Column,
    value: Value,
    detail: serde_json::Value,
}

impl Accounts {
    /// Creates an account with its owner and first grant in one commit, for the command line.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` for an invalid address or password, or negative credits; `CONFLICT` for an address in use.
    pub async fn create(&self, new: NewAccount) -> Result<(AccountId, UserId)> {
        let email = email::normalize(&new.email, Syntax::Any)?;
        if new.credits.milli() < 0 {
            return Err(Error::invalid("credits", "must not be negative"));
        }
        let hash = match &new.password {
            Some(password) => Some(password::hash("password", password, &Requester::Operator).await?),
            None => None,
        };
        let tx = self.db.begin().await?;
        let id = insert_account(&tx, &email, new.credits, new.at).await?;
        let owner = insert_person(&tx, &id, PersonRow { email, hash, role: Role::Owner }).await?;
        audit::write(&tx, audit::Change::by_command_line(&id, audit::Action::AccountCreate, id.as_str()))
            .await?;
        tx.commit().await?;
        Ok((id, UserId::from(owner.id)))
    }

    /// Finds an account.
    ///
    /// # Errors
    /// `NOT_FOUND` for an unknown account.
    pub async fn find(&self, id: &AccountId) -> Result<account::Model> {
        let row = account::Entity::find_by_id(id.as_str()).one(self.db.read()).await?;
        row.ok_or_else(|| Error::new(Code::NotFound, format!("there is no account {id}")))
    }

    /// What the operator allows an account; the defaults for an unknown one.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` when the database does not answer.
    pub async fn limits(&self, id: &AccountId) -> Result<AccountLimits> {
        let limits = account::Entity::find_by_id(id.as_str())
            .select_only()
            .columns([account::Column::RateLimitPerMinute, account::Column::Backends])
            .into_tuple::<(Option<i32>, Option<String>)>();
        let limits = self.db.in_time(limits.one(self.db.read())).await?;
        let (per_minute, backends) = limits.unwrap_or_default();
        Ok(AccountLimits {
            rate_limit_per_minute: per_minute.and_then(|limit| u32::try_from(limit).ok()),
            backends: AllowedBackends::stored(backends.as_deref()),
        })
    }

    /// Finds the account of a user by e-mail address.
    ///
    /// # Errors
    /// `NOT_FOUND` for an unknown address.
    pub async fn find_by_email(&self, email: &str) -> Result<AccountId> {
        let row = email::find_person(self.db.read(), email).await?;
        let row = row.ok_or_else(|| Error::new(Code::NotFound, format!("there is no account of {email}")))?;
        Ok(AccountId::from(row.account_id))
    }

    /// All accounts, oldest first.
    pub async fn list(&self) -> Result<Vec<account::Model>> {
        Ok(account::Entity::find().order_by_asc(account::Column::Id).all(self.db.read()).await?)
    }

    /// Renames an account.
    ///
    /// # Errors
    /// `FORBIDDEN` unless the actor is an owner; `VALIDATION_FAILED` for an invalid name.
    pub async fn rename(&self, actor: &Actor, name: &str) -> Result<AccountRow> {
        actor.require(Role::Owner)?;
        let name = name.trim();
        if name.is_empty() || name.chars().count() > NAME_CHARS || name.chars().any(char::is_control) {
            let message = format!("must be 1 to {} characters on one line", NAME_CHARS);
            return Err(Error::invalid("name", message));
        }
        let tx = self.db.begin().await?;
        account::Entity::update_many()
            .col_expr(account::Column::Name, Expr::value(name))
            .filter(account::Column::Id.eq(actor.account.as_str()))
            .filter(account::Column::ErasedAt.is_null())
            .exec(&tx)
            .await?;
        audit::write(&tx, audit::Change::by(actor, audit::Action::AccountUpdate, actor.account.as_str()))
            .await?;
        tx.commit().await?;
        self.find(&actor.account).await
    }

    /// Sets an account's rate limit, in requests a minute of all its keys together, and of each user: 0 for no limit,
    /// none for the deployment's default. `by` is the operator, for the audit log.
    ///
    /// # Errors
    /// `NOT_FOUND` for an unknown account.
    pub async fn set_rate_limit(&self, by: &str, id: &AccountId, per_minute: Option<u32>) -> Result<()> {
        let limit = per_minute.map(|limit| i32::try_from(limit).unwrap_or(i32::MAX));
        let detail = json!({ "rate_limit_per_minute": per_minute });
        let limit = NewLimit { column: account::Column::RateLimitPerMinute, value: limit.into(), detail };
        self.set_limit(by, id, limit).await
    }

    async fn set_limit(&self, by: &str, id: &AccountId, limit: NewLimit) -> Result<()> {
        let tx = self.db.begin().await?;
        let set = account::Entity::update_many()
            .col_expr(limit.column, Expr::value(limit.value))
            .filter(account::Column::Id.eq(id.as_str()))
            .exec(&tx)
            .await?;
        if set.rows_affected == 0 {
            return Err(Error::new(Code::NotFound, format!("there is no account {id}")));
        }
        let change = audit::Change {
            actor: by,
            ..audit::Change::by_command_line(id, audit::Action::AccountUpdate, id.as_str())
        };
        audit::write(&tx, change.with(limit.detail)).await?;
        tx.commit().await?;
        Ok(())
    }

    /// Limits an account, with its keys and its users, to some backends; each key may have a narrower limit. `by` is
    /// the operator, for the audit log.
    ///
    /// # Errors
    /// `NOT_FOUND` for an unknown account.
    pub async fn set_backends(&self, by: &str, id: &AccountId, backends: &AllowedBackends) -> Result<()> {
        let detail = json!({ "backends": backends.names() });
        let limit =
            NewLimit { column: account::Column::Backends, value: backends.to_column().into(), detail };
        self.set_limit(by, id, limit).await
    }

    /// Sets a user's password and ends the user's sessions.
    ///
    /// # Errors
    /// `NOT_FOUND` for an unknown address; `VALIDATION_FAILED` for an invalid password.
    pub async fn reset_password(&self, email: &str, password: &str) -> Result<()> {
        let hash = password::hash("password", password, &Requester::Operator).await?;
        let tx = self.db.begin().await?;
        let row = email::find_person(&tx, email).await?;
        let row = row.ok_or_else(|| Error::new(Code::NotFound, format!("there is no user {email}")))?;
        let account = AccountId::from(row.account_id);
        let user = UserId::from(row.id);
        user::Entity::update_many()
            .col_expr(user::Column::PasswordHash, Expr::value(hash))
            .filter(user::Column::Id.eq(user.as_str()))
            .exec(&tx)
            .await?;
        session::end_others(&tx, &user, None).await?;
        audit::write(
            &tx,
            audit::Change::by_command_line(&account, audit::Action::UserResetPassword, user.as_str()),
        )
        .await?;
        tx.commit().await?;
        Ok(())
    }
}
