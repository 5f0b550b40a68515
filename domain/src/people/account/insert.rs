//! Inserts accounts and users, for sign-up and for the command line.

use chrono::{DateTime, Utc};
use entity::{account, user};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, DatabaseTransaction, EntityTrait, IntoActiveModel, SqlErr,
};

use crate::{
    Code, Error, Result,
    foundation::actor::Role,
    money::{
        amount::Amount,
        credits::{EntryKind, LedgerEntry, SideTables, post},
    },
    people::email,
};
use ports::id::{AccountId, RequestId, UserId};

/// The columns of a new user.
pub(super) struct PersonRow {
    /// In its normal form.
    pub(super) email: String,
    pub(super) hash: Option<String>,
    pub(super) role: Role,
}

/// Inserts a user.
pub(super) async fn insert_person(
    tx: &DatabaseTransaction,
    account: &AccountId,
    new: PersonRow,
) -> Result<user::Model> {
    let row = user::Model {
        id: UserId::new().into(),
        account_id: account.to_string(),
        email: new.email,
        password_hash: new.hash,
        role: new.role.as_str().to_owned(),
        operator: false,
        weekly_summary: true,
        low_balance: true,
        created_at: Utc::now(),
    };
    require_unused(tx, &row.email).await?;
    let written = row.clone().into_active_model().reset_all();
    match user::Entity::insert(written).exec_without_returning(tx).await {
        Err(error) if matches!(error.sql_err(), Some(SqlErr::UniqueConstraintViolation(_))) => {
            Err(address_in_use(&row.email))
        }
        Err(error) => Err(error.into()),
        Ok(_) => Ok(row),
    }
}

/// Inserts an account and posts its first grant, both with the time `at`, or now.
pub(super) async fn insert_account(
    tx: &DatabaseTransaction,
    name: &str,
    credits: Amount,
    at: Option<DateTime<Utc>>,
) -> Result<AccountId> {
    let id = AccountId::new();
    let account = account::ActiveModel {
        id: Set(id.to_string()),
        name: Set(name.to_owned()),
        balance: Set(0),
        held: Set(0),
        ledger_seq: Set(0),
        rate_limit_per_minute: Set(None),
        created_at: Set(at.unwrap_or_else(Utc::now)),
        ..Default::default()
    };
    account::Entity::insert(account).exec_without_returning(tx).await?;
    if credits.milli() > 0 {
        let mut grant = LedgerEntry::new(id.clone(), RequestId::new(), EntryKind::Grant, credits);
        grant.at = at;
        post(tx, &[grant], false, &SideTables::default()).await?;
    }
    Ok(id)
}

/// Requires that nobody has an address.
pub(super) async fn require_unused(tx: &DatabaseTransaction, email: &str) -> Result<()> {
    match email::find_person(tx, email).await? {
        Some(_) => Err(address_in_use(email)),
        None => Ok(()),
    }
}

/// The error for an address in use.
fn address_in_use(email: &str) -> Error {
    Error::new(Code::Conflict, format!("{email} has an account already"))
}
