//! Sign-up: creates a user in a new account, or in the account of an invitation.

use serde_json::json;

use super::{
    Accounts, SignUpMode,
    insert::{PersonRow, insert_account, insert_person, require_unused},
    invite::accept,
};
use crate::{
    Code, Error, Result,
    foundation::{actor::Role, audit, network::Network},
    people::{
        email::{self, Syntax},
        password::{self, Requester},
        session::{self, SignedIn},
    },
};
use ports::id::{AccountId, UserId};

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
    /// The solved challenge, if there is one.
    pub proof_of_work: Option<String>,
}

impl Accounts {
    /// Creates a user and a session.
    ///
    /// # Errors
    /// `FORBIDDEN` when the policy does not allow it; `VALIDATION_FAILED` for an invalid address, password, proof of
    /// work or invitation; `CONFLICT` for an address in use; `RATE_LIMITED` when too many passwords are being hashed.
    pub async fn sign_up(&self, new: NewPerson) -> Result<SignedIn> {
        let refusal = match (self.policy.mode, &new.invite) {
            (SignUpMode::Closed, _) => Some("nobody can sign up here: ask whoever runs this service"),
            (SignUpMode::Invite, None) => Some("signing up here takes an invitation"),
            (SignUpMode::Invite, Some(_)) | (SignUpMode::Open, _) => None,
        };
        if let Some(refusal) = refusal {
            return Err(Error::new(Code::Forbidden, refusal));
        }
        let email = email::normalize(&new.email, Syntax::Usual)?;
        // Before the proof, which can be used once.
        password::require_length("password", &new.password)?;
        self.proofs.accept(&new.email, new.proof_of_work.as_deref())?;
        let hash = password::hash("password", &new.password, &Requester::Network(new.network)).await?;
        let tx = self.db.begin().await?;
        let (account, role) = match &new.invite {
            Some(token) => {
                let (account, invite) = accept(&tx, token, &email).await?;
                (account, invite.role)
            }
            None => {
                // Checked before the grant takes a lock that other sign-ups wait for.
                require_unused(&tx, &email).await?;
                (insert_account(&tx, &email, self.policy.credits, None).await?, Role::Owner)
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
        let email = email::normalize(email, Syntax::Any)?;
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
