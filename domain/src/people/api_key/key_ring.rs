//! Authenticates requests by API key.

use std::{
    num::NonZeroUsize,
    sync::Arc,
    time::{Duration, Instant},
};

use chrono::{DateTime, Utc};
use entity::{account, api_key};
use lru::LruCache;
use parking_lot::Mutex;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, sea_query::Expr};
use subtle::ConstantTimeEq;

use super::{KeySecret, Scope};
use crate::{
    Code, Error, Result,
    foundation::{
        actor::{Actor, Identity, Role},
        allowed_backends::AllowedBackends,
        database::Database,
        shared_reads::SharedReads,
    },
};
use ports::id::{AccountId, KeyId, PolicyId};

/// How long a process caches a key: a revoked key is refused everywhere within this time.
const CACHE_TTL: Duration = Duration::from_secs(3);
/// Maximum number of cached keys.
const CACHE_CAPACITY: NonZeroUsize = NonZeroUsize::new(10_000).unwrap();

/// The limit of a key, which counts the requests of the keys that it made too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyRateLimit {
    pub key: KeyId,
    /// Requests a minute, above 0.
    pub per_minute: u32,
}

/// An authenticated API key.
#[derive(Clone, Debug)]
pub struct VerifiedKey {
    /// The account that the key charges.
    pub account: AccountId,
    pub id: KeyId,
    pub scopes: Vec<Scope>,
    /// Requests a minute of all keys of the account together; none for the deployment's default, 0 for no limit.
    pub account_rate_limit: Option<u32>,
    /// The limits of the key itself and of the key that made it.
    pub rate_limits: Vec<KeyRateLimit>,
    /// The policy that decides on messages of requests that name none.
    pub moderation_policy: Option<PolicyId>,
    /// What the key and its account allow.
    pub backends: AllowedBackends,
    expires_at: Option<DateTime<Utc>>,
    hash: String,
}

fn own_limit(key: &api_key::Model) -> Option<KeyRateLimit> {
    let per_minute = u32::try_from(key.rate_limit_per_minute?).ok().filter(|limit| *limit > 0)?;
    Some(KeyRateLimit { key: KeyId::from(key.id.clone()), per_minute })
}

impl VerifiedKey {
    /// Requires one of some scopes.
    ///
    /// # Errors
    /// `FORBIDDEN`, naming the scopes, when the key has none of them.
    pub fn require_any(&self, scopes: &[Scope]) -> Result<()> {
        if scopes.iter().any(|scope| self.scopes.contains(scope)) {
            return Ok(());
        }
        let message = match scopes {
            [scope] => format!("this API key lacks the scope `{}`", scope.as_str()),
            _ => {
                let names: Vec<String> = scopes.iter().map(|scope| format!("`{}`", scope.as_str())).collect();
                format!("this API key needs the scope {}", names.join(" or "))
            }
        };
        Err(Error::new(Code::Forbidden, message))
    }

    /// The key as an actor: an editor with the scope `manage`, an analyst with `read`.
    ///
    /// # Errors
    /// `FORBIDDEN` for a key with neither.
    pub fn actor(&self) -> Result<Actor> {
        self.require_any(&[Scope::Read, Scope::Manage])?;
        let role = if self.scopes.contains(&Scope::Manage) { Role::Editor } else { Role::Analyst };
        let identity = Identity::Key(self.id.clone());
        Ok(Actor { account: self.account.clone(), identity, role, operator: false })
    }
}

/// Authenticates API keys and caches them for a few seconds.
pub struct KeyRing {
    db: Database,
    cache: Mutex<LruCache<String, (Instant, Arc<VerifiedKey>)>>,
    reads: SharedReads<String, Option<Arc<VerifiedKey>>>,
}

impl KeyRing {
    /// A key ring on a database.
    pub fn new(db: Database) -> Self {
        let cache = Mutex::new(LruCache::new(CACHE_CAPACITY));
        Self { db, cache, reads: SharedReads::default() }
    }

    /// Authenticates a key.
    ///
    /// # Errors
    /// `UNAUTHORIZED` for a key that is malformed, unknown, revoked or expired, with the same message for each.
    pub async fn identify(&self, presented: &str) -> Result<Arc<VerifiedKey>> {
        let invalid = || Error::new(Code::Unauthorized, "the API key is not valid");
        let hash = KeySecret::parse(presented).ok_or_else(invalid)?.hash();
        let identity = match self.cached(&hash) {
            Some(identity) => identity,
            None => self.reads.get(&hash, self.load(&hash)).await?.ok_or_else(invalid)?,
        };
        let same = identity.hash.as_bytes().ct_eq(hash.as_bytes());
        let live = identity.expires_at.is_none_or(|end| Utc::now() < end);
        if bool::from(same) && live { Ok(identity) } else { Err(invalid()) }
    }

    fn cached(&self, hash: &str) -> Option<Arc<VerifiedKey>> {
        let mut cache = self.cache.lock();
        let (read_at, identity) = cache.get(hash)?;
        (read_at.elapsed() < CACHE_TTL).then(|| identity.clone())
    }

    async fn load(&self, hash: &str) -> Result<Option<Arc<VerifiedKey>>> {
        let read_at = Instant::now();
        let key = api_key::Entity::find()
            .filter(api_key::Column::Hash.eq(hash))
            .filter(api_key::Column::RevokedAt.is_null());
        let Some(key) = self.db.in_time(key.one(self.db.read())).await? else { return Ok(None) };
        let account = account::Entity::find_by_id(&key.account_id);
        let Some(account) = self.db.in_time(account.one(self.db.read())).await? else { return Ok(None) };
        self.note_use(&key).await;
        let mut rate_limits: Vec<KeyRateLimit> = own_limit(&key).into_iter().collect();
        if let Some(maker) = &key.limited_by {
            let maker = api_key::Entity::find_by_id(maker);
            let maker = self.db.in_time(maker.one(self.db.read())).await?;
            rate_limits.extend(maker.as_ref().and_then(own_limit));
        }
        let of_account = AllowedBackends::stored(account.backends.as_deref());
        let identity = Arc::new(VerifiedKey {
            backends: of_account.and(&AllowedBackends::stored(key.backends.as_deref())),
            account: AccountId::from(key.account_id),
            id: KeyId::from(key.id),
            scopes: key.scopes.split(',').map(Scope::parse).collect::<Result<_>>()?,
            account_rate_limit: account.rate_limit_per_minute.and_then(|limit| u32::try_from(limit).ok()),
            rate_limits,
            moderation_policy: key.moderation_policy_id.map(PolicyId::from),
            expires_at: key.expires_at,
            hash: key.hash,
        });
        self.cache.lock().put(hash.to_owned(), (read_at, identity.clone()));
        Ok(Some(identity))
    }

    /// Records the time of use, to the minute. A failure is logged and does not refuse the key.
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
            tracing::warn!(%error, "could not record when a key was last used");
        }
    }
}
