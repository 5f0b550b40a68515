//! Who may come in with a key: tells valid keys from others.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use chrono::{DateTime, Utc};
use entity::{account, api_key};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, sea_query::Expr};
use subtle::ConstantTimeEq;

use super::{Scope, Secret};
use crate::{
    Code, Error, Result,
    actor::{Actor, Identity, Role},
    database::Database,
    id::{AccountId, KeyId},
};

/// How long a process believes what it read of a key: a revoked one is refused everywhere within this time.
const FRESH: Duration = Duration::from_secs(3);
/// Keys a process remembers.
const REMEMBERED: usize = 10_000;

/// A key that was presented and is valid.
#[derive(Clone, Debug)]
pub struct VerifiedKey {
    /// The account it spends from.
    pub account: AccountId,
    /// The key.
    pub id: KeyId,
    /// What it may do.
    pub scopes: Vec<Scope>,
    /// Its own limit or else its account's; none inherits the deployment's, 0 is no limit.
    pub rate_limit_per_minute: Option<u32>,
    expires_at: Option<DateTime<Utc>>,
    hash: String,
}

impl VerifiedKey {
    /// Lets only keys with a scope through.
    ///
    /// # Errors
    /// `FORBIDDEN` naming the scope.
    pub fn require(&self, scope: Scope) -> Result<()> {
        if self.scopes.contains(&scope) {
            return Ok(());
        }
        Err(Error::new(Code::Forbidden, format!("this API key lacks the scope `{}`", scope.as_str())))
    }

    /// What the key may manage: with the scope `manage` it is an editor, with `read` an analyst.
    ///
    /// # Errors
    /// `FORBIDDEN` for a key with neither.
    pub fn actor(&self) -> Result<Actor> {
        let has = |scope| self.scopes.contains(&scope);
        let role = match (has(Scope::Manage), has(Scope::Read)) {
            (true, _) => Role::Editor,
            (_, true) => Role::Analyst,
            _ => {
                let message = "the API key lacks the scope `manage` or `read`";
                return Err(Error::new(Code::Forbidden, message));
            }
        };
        let identity = Identity::Key(self.id.clone());
        Ok(Actor { account: self.account.clone(), identity, role, operator: false })
    }
}

/// Tells valid keys from others; remembers them for a few seconds.
pub struct KeyRing {
    db: Database,
    remembered: Mutex<HashMap<String, (Instant, VerifiedKey)>>,
}

impl KeyRing {
    /// The keys of a database.
    pub fn new(db: Database) -> Self {
        Self { db, remembered: Mutex::default() }
    }

    /// Who `presented` stands for.
    ///
    /// # Errors
    /// `UNAUTHORIZED` for a key that is malformed, unknown, revoked or expired, all in the same words.
    pub async fn identify(&self, presented: &str) -> Result<VerifiedKey> {
        let invalid = || Error::new(Code::Unauthorized, "the API key is not valid");
        let hash = Secret::parse(presented).ok_or_else(invalid)?.hash();
        let identity = match self.recall(&hash) {
            Some(identity) => identity,
            None => self.load(&hash).await?.ok_or_else(invalid)?,
        };
        let same = identity.hash.as_bytes().ct_eq(hash.as_bytes());
        let live = identity.expires_at.is_none_or(|end| Utc::now() < end);
        if bool::from(same) && live { Ok(identity) } else { Err(invalid()) }
    }

    fn recall(&self, hash: &str) -> Option<VerifiedKey> {
        let remembered = self.remembered.lock().unwrap_or_else(PoisonError::into_inner);
        let (read_at, identity) = remembered.get(hash)?;
        (read_at.elapsed() < FRESH).then(|| identity.clone())
    }

    async fn load(&self, hash: &str) -> Result<Option<VerifiedKey>> {
        let read_at = Instant::now();
        let key = api_key::Entity::find()
            .filter(api_key::Column::Hash.eq(hash))
            .filter(api_key::Column::RevokedAt.is_null());
        let Some(key) = self.db.in_time(key.one(self.db.read())).await? else { return Ok(None) };
        let account = account::Entity::find_by_id(&key.account_id);
        let Some(account) = self.db.in_time(account.one(self.db.read())).await? else { return Ok(None) };
        self.note_use(&key).await;
        let limit = key.rate_limit_per_minute.or(account.rate_limit_per_minute);
        let identity = VerifiedKey {
            account: AccountId::from(key.account_id),
            id: KeyId::from(key.id),
            scopes: key.scopes.split(',').map(Scope::parse).collect::<Result<_>>()?,
            rate_limit_per_minute: limit.and_then(|limit| u32::try_from(limit).ok()),
            expires_at: key.expires_at,
            hash: key.hash,
        };
        let mut remembered = self.remembered.lock().unwrap_or_else(PoisonError::into_inner);
        if remembered.len() >= REMEMBERED {
            remembered.retain(|_, (read_at, _)| read_at.elapsed() < FRESH);
        }
        remembered.insert(hash.to_owned(), (read_at, identity.clone()));
        Ok(Some(identity))
    }

    /// Writes down the time of use, to the minute. A failure is no reason to turn the key away.
    async fn note_use(&self, key: &api_key::Model) {
        let now = Utc::now();
        if key.last_used_at.is_some_and(|last| (now - last).num_seconds() < 60) {
            return;
        }
        let noted = api_key::Entity::update_many()
            .col_expr(api_key::Column::LastUsedAt, Expr::value(now))
            .filter(api_key::Column::Id.eq(&key.id));
        let noted = self.db.in_time(noted.exec(self.db.write())).await;
        if let Err(error) = noted {
            tracing::warn!(%error, "the time of use of a key was not written");
        }
    }
}
