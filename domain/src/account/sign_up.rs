//! Signing up: a person of their own making, in an account of their own or in that of an invitation.

use std::str::FromStr;

use chrono::Utc;
use entity::user;
use sea_orm::{
    ActiveModelTrait, ColumnTrait, DatabaseTransaction, EntityTrait, IntoActiveModel, QueryFilter, SqlErr,
};
use serde_json::json;

use super::{
    invite::accept,
    store::{insert_account, taken},
};
use crate::{
    Code, Error, Result,
    actor::Role,
    amount::Amount,
    audit,
    database::Database,
    id::{AccountId, UserId},
    password,
    session::{self, SignedIn},
};

/// Who can sign up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SignUpMode {
    /// Everybody: for an account of their own, or with an invitation.
    Open,
    /// Those with an invitation.
    Invite,
    /// Nobody: an operator makes accounts and people.
    #[default]
    Closed,
}

impl FromStr for SignUpMode {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text {
            "open" => Ok(SignUpMode::Open),
            "invite" => Ok(SignUpMode::Invite),
            "closed" => Ok(SignUpMode::Closed),
            _ => Err(Error::invalid("sign_up", "must be one of: open, invite, closed")),
        }
    }
}

/// What the deployment has for people who sign up.
#[derive(Clone, Copy, Debug, Default)]
pub struct SignUp {
    /// Who can.
    pub mode: SignUpMode,
    /// What a new account starts with.
    pub credits: Amount,
}

/// Somebody who signs up.
#[derive(Clone)]
pub struct NewPerson {
    /// Their address.
    pub email: String,
    /// Their password.
    pub password: String,
    /// The token of their invitation, when they have one.
    pub invite: Option<String>,
    /// What their browser calls itself.
    pub user_agent: String,
}

/// Makes a person and signs them in.
///
/// # Errors
/// `FORBIDDEN` where they may not; `VALIDATION_FAILED` for a bad address, a short password, an invitation that is not valid;
/// `CONFLICT` for an address in use; `RATE_LIMITED` when too many sign up at once.
pub async fn sign_up(db: &Database, setting: &SignUp, new: NewPerson) -> Result<SignedIn> {
    let refused = |why| Err(Error::new(Code::Forbidden, why));
    match (setting.mode, &new.invite) {
        (SignUpMode::Closed, _) => return refused("nobody can sign up here: ask whoever runs this service"),
        (SignUpMode::Invite, None) => return refused("signing up here takes an invitation"),
        _ => {}
    }
    let email = crate::email::normalize(&new.email)?;
    let hash = password::hash("password", &new.password).await?;
    let tx = db.begin().await?;
    let (account, role) = match &new.invite {
        Some(token) => {
            let (account, invite) = accept(&tx, token, &email).await?;
            (account, invite.role)
        }
        None => {
            // Before the grant takes locks that many others may wait for.
            if user::Entity::find().filter(user::Column::Email.eq(&email)).one(&tx).await?.is_some() {
                return Err(taken(&email));
            }
            (insert_account(&tx, &email, setting.credits).await?, Role::Owner)
        }
    };
    let person = insert_person(&tx, &account, PersonRow { email, hash: Some(hash), role }).await?;
    let signed_in = session::begin(&tx, &person, &new.user_agent).await?;
    let change = audit::Change::by(&signed_in.actor, "user.sign_up", &person.id);
    let detail = json!({ "role": role.as_str(), "invited": new.invite.is_some() });
    audit::write(&tx, change.with(detail)).await?;
    tx.commit().await?;
    Ok(signed_in)
}

/// Makes a person in an account: for the command line.
///
/// # Errors
/// `VALIDATION_FAILED` for a bad address or a short password; `CONFLICT` for an address in use.
pub async fn add_person(
    db: &Database,
    account: &AccountId,
    email: &str,
    password: Option<&str>,
    role: Role,
) -> Result<UserId> {
    let email = crate::email::normalize(email)?;
    let hash = match password {
        Some(password) => Some(password::hash("password", password).await?),
        None => None,
    };
    let tx = db.begin().await?;
    let person = insert_person(&tx, account, PersonRow { email, hash, role }).await?;
    let change = audit::Change::by_command_line(account, "user.create", &person.id);
    audit::write(&tx, change.with(json!({ "role": role.as_str() }))).await?;
    tx.commit().await?;
    Ok(UserId::from(person.id))
}

/// What is written of a new person.
pub(super) struct PersonRow {
    pub(super) email: String,
    pub(super) hash: Option<String>,
    pub(super) role: Role,
}

/// Writes a person.
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
        created_at: Utc::now(),
    };
    let written = row.clone().into_active_model().reset_all();
    match user::Entity::insert(written).exec_without_returning(tx).await {
        Err(error) if matches!(error.sql_err(), Some(SqlErr::UniqueConstraintViolation(_))) => {
            Err(taken(&row.email))
        }
        Err(error) => Err(error.into()),
        Ok(_) => Ok(row),
    }
}
