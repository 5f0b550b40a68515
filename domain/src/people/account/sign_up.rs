//! Sign-up: creates a user in a new account, or in the account of an invitation.

use std::str::FromStr;

use chrono::Utc;
use entity::user;
use sea_orm::{
    ActiveModelTrait, ColumnTrait, DatabaseTransaction, EntityTrait, IntoActiveModel, QueryFilter, SqlErr,
};
use serde_json::json;

use super::Accounts;
use super::{
    invite::accept,
    store::{address_in_use, insert_account},
};
use crate::{
    Code, Error, Result,
    foundation::{actor::Role, audit, network::Network},
    money::amount::Amount,
    people::{
        password::{self, Requester},
        session::{self, SignedIn},
    },
};
use ports::id::{AccountId, UserId};

/// The sign-up policy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SignUpMode {
    /// Anyone can sign up, with or without an invitation.
    Open,
    /// An invitation is required.
    Invite,
    /// Sign-up is disabled: an operator creates accounts and users.
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

/// The deployment's sign-up settings.
#[derive(Clone, Copy, Debug, Default)]
pub struct SignUp {
    pub mode: SignUpMode,
    /// Credits granted to a new account.
    pub credits: Amount,
}

/// A sign-up request.
#[derive(Clone)]
pub struct NewPerson {
    pub email: String,
    pub password: String,
    /// The token of the invitation, if any.
    pub invite: Option<String>,
    /// The browser's `User-Agent`.
    pub user_agent: String,
    /// The network that the request came from.
    pub network: Network,
}

impl Accounts {
    /// Creates a user and a session.
    ///
    /// # Errors
    /// `FORBIDDEN` when the policy does not allow it; `VALIDATION_FAILED` for an invalid address, password or invitation;
    /// `CONFLICT` for an address in use; `RATE_LIMITED` when too many passwords are being hashed.
    pub async fn sign_up(&self, new: NewPerson) -> Result<SignedIn> {
        let refused = |why| Err(Error::new(Code::Forbidden, why));
        match (self.policy.mode, &new.invite) {
            (SignUpMode::Closed, _) => {
                return refused("nobody can sign up here: ask whoever runs this service");
            }
            (SignUpMode::Invite, None) => return refused("signing up here takes an invitation"),
            _ => {}
        }
        let email = crate::people::email::normalize(&new.email)?;
        let hash = password::hash("password", &new.password, &Requester::Network(new.network)).await?;
        let tx = self.db.begin().await?;
        let (account, role) = match &new.invite {
            Some(token) => {
                let (account, invite) = accept(&tx, token, &email).await?;
                (account, invite.role)
            }
            None => {
                // Checked before the grant takes a lock that other sign-ups wait for.
                if user::Entity::find().filter(user::Column::Email.eq(&email)).one(&tx).await?.is_some() {
                    return Err(address_in_use(&email));
                }
                (insert_account(&tx, &email, self.policy.credits).await?, Role::Owner)
            }
        };
        let person = insert_person(&tx, &account, PersonRow { email, hash: Some(hash), role }).await?;
        let signed_in = session::begin(&tx, &person, &new.user_agent).await?;
        let change = audit::Change::by(&signed_in.actor, audit::Action::UserSignUp, &person.id);
        let detail = json!({ "role": role.as_str(), "invited": new.invite.is_some() });
        audit::write(&tx, change.with(detail)).await?;
        tx.commit().await?;
        Ok(signed_in)
    }

    /// Creates a user in an account, for the command line.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` for an invalid address or password; `CONFLICT` for an address in use.
    pub async fn add_person(
        &self,
        account: &AccountId,
        email: &str,
        password: Option<&str>,
        role: Role,
    ) -> Result<UserId> {
        let email = crate::people::email::normalize(email)?;
        let hash = match password {
            Some(password) => Some(password::hash("password", password, &Requester::Operator).await?),
            None => None,
        };
        let tx = self.db.begin().await?;
        let person = insert_person(&tx, account, PersonRow { email, hash, role }).await?;
        let change = audit::Change::by_command_line(account, audit::Action::UserCreate, &person.id);
        audit::write(&tx, change.with(json!({ "role": role.as_str() }))).await?;
        tx.commit().await?;
        Ok(UserId::from(person.id))
    }
}

/// The columns of a new user.
pub(super) struct PersonRow {
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
        created_at: Utc::now(),
    };
    let written = row.clone().into_active_model().reset_all();
    match user::Entity::insert(written).exec_without_returning(tx).await {
        Err(error) if matches!(error.sql_err(), Some(SqlErr::UniqueConstraintViolation(_))) => {
            Err(address_in_use(&row.email))
        }
        Err(error) => Err(error.into()),
        Ok(_) => Ok(row),
    }
}
