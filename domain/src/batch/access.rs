//! Who submits batches, and who may see which.

use crate::{
    Result,
    foundation::{
        actor::{Actor, Identity, Role},
        allowed_backends::AllowedBackends,
        database::Database,
    },
    people::api_key::{ApiKeys, Scope, VerifiedKey},
};
use ports::id::AccountId;

/// Who submits a batch.
#[derive(Clone, Debug)]
pub struct Submitter {
    pub(super) account: AccountId,
    /// `key_…` or `user_…`.
    pub(super) name: String,
    /// What its items may ask for.
    pub(super) scopes: Vec<Scope>,
    /// The backends that they may ask.
    pub(super) backends: AllowedBackends,
}

impl Submitter {
    /// An API key that sends a batch itself.
    pub fn key(key: &VerifiedKey) -> Self {
        Self {
            account: key.account.clone(),
            name: key.id.to_string(),
            scopes: key.scopes.clone(),
            backends: key.backends.clone(),
        }
    }

    /// A person, or a key that manages the account.
    ///
    /// # Errors
    /// `FORBIDDEN` for an analyst; `INTERNAL_ERROR` when the database does not answer.
    pub async fn actor(db: &Database, actor: &Actor) -> Result<Self> {
        actor.require(Role::Editor)?;
        let scopes = match &actor.identity {
            Identity::User(..) => Scope::ALL.to_vec(),
            Identity::Key(key) => ApiKeys::new(db.clone()).find(&actor.account, key).await?.scopes,
        };
        let backends = AllowedBackends::of(db, &actor.account, actor.name()).await?;
        Ok(Self { account: actor.account.clone(), name: actor.name().to_owned(), scopes, backends })
    }
}

/// The batches that somebody may see and cancel.
#[derive(Clone, Debug)]
pub struct BatchAccess {
    pub(super) account: AccountId,
    /// Only those that it has submitted itself; none for all of the account.
    pub(super) own: Option<String>,
    /// Only those that were read from files.
    pub(super) from_files: bool,
}

impl BatchAccess {
    /// A key sees the batches that it has submitted, and with the scope `manage` or `read` all of the account.
    pub fn read(key: &VerifiedKey) -> Self {
        Self::with(key, &[Scope::Manage, Scope::Read])
    }

    /// A key cancels the batches that it has submitted, and with the scope `manage` all of the account.
    pub fn cancel(key: &VerifiedKey) -> Self {
        Self::with(key, &[Scope::Manage])
    }

    /// Of these batches, those that were read from files.
    #[must_use]
    pub fn from_files(self) -> Self {
        Self { from_files: true, ..self }
    }

    /// All batches of the actor's account.
    pub fn of(actor: &Actor) -> Self {
        Self { account: actor.account.clone(), own: None, from_files: false }
    }

    fn with(key: &VerifiedKey, scopes: &[Scope]) -> Self {
        let all = scopes.iter().any(|scope| key.scopes.contains(scope));
        let own = (!all).then(|| key.id.to_string());
        Self { account: key.account.clone(), own, from_files: false }
    }
}
