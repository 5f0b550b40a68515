//! API keys: their form, who may come in with them, and their life. The secret itself is shown once and never kept.

use std::{
    collections::HashMap,
    fmt,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use chrono::{DateTime, Utc};
use entity::{account, api_key};
use rand::Rng;
use sea_orm::{
    ActiveValue::{NotSet, Set},
    ColumnTrait, EntityTrait, QueryFilter, QueryOrder,
    sea_query::{Expr, Func},
};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::{
    Code, Error, Result,
    database::Database,
    id::{AccountId, KeyId},
};

const PREFIX: &str = "svc_live_";
const RANDOM: usize = 30;
const CHECKSUM: usize = 6;
const BASE62: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// How long a process believes what it read of a key: a revoked one is refused everywhere within this time.
const FRESH: Duration = Duration::from_secs(3);
/// Keys a process remembers.
const REMEMBERED: usize = 10_000;

/// What a key may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    /// Moderate text and images.
    Moderate,
    /// Run decision inference.
    Infer,
    /// Change what the account has.
    Manage,
    /// Look at what the account has.
    Read,
}

impl Scope {
    /// Every scope.
    pub const ALL: [Scope; 4] = [Scope::Moderate, Scope::Infer, Scope::Manage, Scope::Read];

    /// The name on the wire and in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Scope::Moderate => "moderate",
            Scope::Infer => "infer",
            Scope::Manage => "manage",
            Scope::Read => "read",
        }
    }

    /// Reads a name; an unknown one is an error naming the allowed ones.
    pub fn parse(name: &str) -> Result<Self> {
        let wrong = || Error::invalid("scopes", "must be of: moderate, infer, manage, read");
        Scope::ALL.into_iter().find(|scope| scope.as_str() == name).ok_or_else(wrong)
    }
}

/// A secret key. Printed only by [`Secret::reveal`].
pub struct Secret(String);

impl Secret {
    /// Makes a new one: `svc_live_`, 30 random base62 characters, 6 base62 characters of CRC-32 over those before.
    pub fn generate() -> Self {
        let mut rng = rand::rng();
        let mut key = String::from(PREFIX);
        key.extend((0..RANDOM).map(|_| char::from(BASE62[rng.random_range(0..BASE62.len())])));
        let checksum = checksum(&key);
        key.push_str(&checksum);
        Self(key)
    }

    /// Reads what a client sent; a typo is found here, without a look at the database.
    pub fn parse(text: &str) -> Option<Self> {
        let random = text.strip_prefix(PREFIX)?;
        let well_formed =
            random.len() == RANDOM + CHECKSUM && random.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let (body, sum) = text.split_at_checked(text.len().checked_sub(CHECKSUM)?)?;
        (well_formed && checksum(body) == sum).then(|| Self(text.to_owned()))
    }

    /// The key itself, to be shown to its owner once.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    fn hash(&self) -> String {
        format!("{:x}", Sha256::digest(&self.0))
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("svc_live_…")
    }
}

/// CRC-32 (IEEE) as six base62 digits, most significant first.
fn checksum(text: &str) -> String {
    let mut rest = crc32fast::hash(text.as_bytes()) as usize;
    let mut digits = [b'0'; CHECKSUM];
    for digit in digits.iter_mut().rev() {
        *digit = BASE62[rest % BASE62.len()];
        rest /= BASE62.len();
    }
    digits.into_iter().map(char::from).collect()
}

/// Who a key stands for.
#[derive(Clone, Debug)]
pub struct Identity {
    /// The account it spends from.
    pub account: AccountId,
    /// The key.
    pub key: KeyId,
    /// What it may do.
    pub scopes: Vec<Scope>,
    /// Its own limit or else its account's; none inherits the deployment's, 0 is no limit.
    pub rate_limit_per_minute: Option<u32>,
    expires_at: Option<DateTime<Utc>>,
    hash: String,
}

impl Identity {
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
}

/// Tells valid keys from others; remembers them for a few seconds.
pub struct KeyRing {
    db: Database,
    remembered: Mutex<HashMap<String, (Instant, Identity)>>,
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
    pub async fn identify(&self, presented: &str) -> Result<Identity> {
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

    fn recall(&self, hash: &str) -> Option<Identity> {
        let remembered = self.remembered.lock().unwrap_or_else(PoisonError::into_inner);
        let (read_at, identity) = remembered.get(hash)?;
        (read_at.elapsed() < FRESH).then(|| identity.clone())
    }

    async fn load(&self, hash: &str) -> Result<Option<Identity>> {
        let read_at = Instant::now();
        let key = api_key::Entity::find()
            .filter(api_key::Column::Hash.eq(hash))
            .filter(api_key::Column::RevokedAt.is_null());
        let Some(key) = self.db.in_time(key.one(self.db.read())).await? else { return Ok(None) };
        let account = account::Entity::find_by_id(&key.account_id);
        let Some(account) = self.db.in_time(account.one(self.db.read())).await? else { return Ok(None) };
        self.note_use(&key).await;
        let limit = key.rate_limit_per_minute.or(account.rate_limit_per_minute);
        let identity = Identity {
            account: AccountId::from(key.account_id),
            key: KeyId::from(key.id),
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

/// What a new key should be.
#[derive(Clone, Debug)]
pub struct NewKey {
    /// A person's word for it.
    pub name: String,
    /// What it may do; at least one.
    pub scopes: Vec<Scope>,
    /// When it ends.
    pub expires_at: Option<DateTime<Utc>>,
    /// Its own limit.
    pub rate_limit_per_minute: Option<u32>,
}

impl Default for NewKey {
    fn default() -> Self {
        Self {
            name: "default".to_owned(),
            scopes: vec![Scope::Moderate, Scope::Infer],
            expires_at: None,
            rate_limit_per_minute: None,
        }
    }
}

/// Makes a key and returns its secret, which nobody can read again.
///
/// # Errors
/// `VALIDATION_FAILED` without a scope or with an end in the past; `NOT_FOUND` without such an account.
pub async fn create(db: &Database, account: &AccountId, new: NewKey) -> Result<(KeyId, Secret)> {
    if new.scopes.is_empty() {
        return Err(Error::invalid("scopes", "must name at least one of: moderate, infer, manage, read"));
    }
    if new.expires_at.is_some_and(|end| end <= Utc::now()) {
        return Err(Error::invalid("expires_at", "must be in the future"));
    }
    crate::account::find(db, account).await?;
    let (id, secret) = (KeyId::new(), Secret::generate());
    let scopes: Vec<&str> = new.scopes.iter().map(|scope| scope.as_str()).collect();
    let row = api_key::ActiveModel {
        id: Set(id.to_string()),
        account_id: Set(account.to_string()),
        name: Set(new.name),
        hash: Set(secret.hash()),
        hint: Set(secret.reveal()[..PREFIX.len() + 4].to_owned()),
        scopes: Set(scopes.join(",")),
        rate_limit_per_minute: Set(new.rate_limit_per_minute.and_then(|limit| i32::try_from(limit).ok())),
        expires_at: Set(new.expires_at),
        created_at: Set(Utc::now()),
        revoked_at: NotSet,
        last_used_at: NotSet,
    };
    api_key::Entity::insert(row).exec_without_returning(db.write()).await?;
    Ok((id, secret))
}

/// A key without its secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// `key_…`
    pub id: KeyId,
    /// A person's word for it.
    pub name: String,
    /// The first characters of the secret.
    pub hint: String,
    /// What it may do.
    pub scopes: Vec<Scope>,
    /// Requests a minute; none inherits the account's, 0 is no limit.
    pub rate_limit_per_minute: Option<u32>,
    /// Refused from this moment on.
    pub expires_at: Option<DateTime<Utc>>,
    /// Refused since this moment.
    pub revoked_at: Option<DateTime<Utc>>,
    /// Last use, to the minute.
    pub last_used_at: Option<DateTime<Utc>>,
    /// When it was made.
    pub created_at: DateTime<Utc>,
}

/// One key of an account.
///
/// # Errors
/// `NOT_FOUND` without it, in the same words for one of another account.
pub async fn find(db: &Database, account: &AccountId, id: &KeyId) -> Result<Listed> {
    let row = of(account).filter(api_key::Column::Id.eq(id.as_str())).one(db.read()).await?;
    listed(row.ok_or_else(no_key)?)
}

fn of(account: &AccountId) -> sea_orm::Select<api_key::Entity> {
    api_key::Entity::find().filter(api_key::Column::AccountId.eq(account.as_str()))
}

fn no_key() -> Error {
    Error::new(Code::NotFound, "there is no such API key")
}

fn listed(row: api_key::Model) -> Result<Listed> {
    Ok(Listed {
        id: KeyId::from(row.id),
        name: row.name,
        hint: row.hint,
        scopes: row.scopes.split(',').map(Scope::parse).collect::<Result<_>>()?,
        rate_limit_per_minute: row.rate_limit_per_minute.and_then(|limit| u32::try_from(limit).ok()),
        expires_at: row.expires_at,
        revoked_at: row.revoked_at,
        last_used_at: row.last_used_at,
        created_at: row.created_at,
    })
}

/// The keys of an account, or of all, oldest first.
pub async fn list(db: &Database, account: Option<&AccountId>) -> Result<Vec<api_key::Model>> {
    let mut query = api_key::Entity::find().order_by_asc(api_key::Column::Id);
    if let Some(account) = account {
        query = query.filter(api_key::Column::AccountId.eq(account.as_str()));
    }
    Ok(query.all(db.read()).await?)
}

/// Ends a key; refused on every replica within 5 seconds. Ending it twice is no error.
///
/// # Errors
/// `NOT_FOUND` without such a key.
pub async fn revoke(db: &Database, key: &KeyId) -> Result<()> {
    let first_time = Func::coalesce([Expr::col(api_key::Column::RevokedAt), Expr::value(Utc::now())]);
    let revoked = api_key::Entity::update_many()
        .col_expr(api_key::Column::RevokedAt, first_time.into())
        .filter(api_key::Column::Id.eq(key.as_str()))
        .exec(db.write())
        .await?;
    if revoked.rows_affected == 0 {
        return Err(Error::new(Code::NotFound, format!("no API key {key}")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_new_key_has_the_documented_form() {
        let key = Secret::generate();
        assert!(key.reveal().starts_with("svc_live_"));
        assert_eq!(key.reveal().len(), 45);
        assert!(Secret::parse(key.reveal()).is_some());
        assert!(!format!("{key:?}").contains(&key.reveal()[9..]));
    }

    proptest! {
        #[test]
        fn one_wrong_character_is_noticed(place in 9..45usize, other in "[0-9A-Za-z]") {
            let key = Secret::generate();
            let mut typo = key.reveal().to_owned();
            typo.replace_range(place..=place, &other);
            prop_assert_eq!(Secret::parse(&typo).is_some(), typo == key.reveal());
        }

        #[test]
        fn any_text_is_refused(text in "\\PC{0,60}") {
            prop_assert!(Secret::parse(&text).is_none());
        }
    }
}
