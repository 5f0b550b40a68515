//! API key rows: create, list and revoke, for actors and for the command line.

use chrono::{DateTime, Utc};
use entity::api_key;
use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, EntityTrait, IntoActiveModel, PaginatorTrait,
    QueryFilter, QueryOrder, QuerySelect,
    sea_query::{Expr, Func},
};
use serde_json::json;

use super::{ApiKeys, KeySecret, Scope};
use crate::{
    Code, Error, Result,
    foundation::{
        actor::{Actor, Identity, Role},
        allowed_backends::AllowedBackends,
        audit,
        page::{Page, Slice, slice},
    },
};
use ports::id::{AccountId, KeyId, PolicyId};

/// Maximum characters of a key's name.
const NAME_CHARS: usize = 100;

/// The properties of a new key.
#[derive(Clone, Debug)]
pub struct NewKey {
    pub name: String,
    /// At least one.
    pub scopes: Vec<Scope>,
    pub expires_at: Option<DateTime<Utc>>,
    /// Requests a minute; none or 0 for no limit of its own.
    pub rate_limit_per_minute: Option<u32>,
    /// The backends that it may use.
    pub backends: AllowedBackends,
}

impl Default for NewKey {
    fn default() -> Self {
        Self {
            name: "default".to_owned(),
            scopes: vec![Scope::Moderate, Scope::Infer],
            expires_at: None,
            rate_limit_per_minute: None,
            backends: AllowedBackends::all(),
        }
    }
}

/// An API key without its secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiKey {
    /// `key_…`
    pub id: KeyId,
    pub name: String,
    /// The first characters of the secret.
    pub hint: String,
    pub scopes: Vec<Scope>,
    /// Requests a minute; none or 0 for no limit of its own.
    pub rate_limit_per_minute: Option<u32>,
    /// The key is refused from this time on.
    pub expires_at: Option<DateTime<Utc>>,
    pub revoked_at: Option<DateTime<Utc>>,
    /// The time of the last use, to the minute.
    pub last_used_at: Option<DateTime<Utc>>,
    pub created_at: DateTime<Utc>,
    /// The policy that decides on messages of requests that name none.
    pub moderation_policy: Option<PolicyId>,
    /// The backends that it may use.
    pub backends: AllowedBackends,
}

impl ApiKeys {
    /// Creates a key and returns its secret, which cannot be read again.
    ///
    /// # Errors
    /// `FORBIDDEN` for an analyst, and for an API key that would create a key with more scopes or backends, a later
    /// expiry or a higher rate limit than its own; `VALIDATION_FAILED` for an invalid name or limit, no scope, or an
    /// expiry in the past.
    pub async fn create_by(&self, actor: &Actor, new: NewKey) -> Result<(ApiKey, KeySecret)> {
        actor.require(Role::Editor)?;
        let tx = self.db.begin().await?;
        let limited_by = match &actor.identity {
            Identity::Key(maker) => {
                let maker =
                    keys_of(&actor.account).filter(api_key::Column::Id.eq(maker.as_str())).lock_shared();
                let maker = from_row(maker.one(&tx).await?.ok_or_else(no_key)?)?;
                check_delegation(&maker, &new)?;
                Some(maker.id)
            }
            Identity::User(..) => None,
        };
        let made = insert(&tx, &actor.account, new, limited_by).await?;
        let detail =
            json!({ "scopes": made.0.scopes.iter().map(|scope| scope.as_str()).collect::<Vec<_>>() });
        audit::write(
            &tx,
            audit::Change::by(actor, audit::Action::ApiKeyCreate, made.0.id.as_str()).with(detail),
        )
        .await?;
        tx.commit().await?;
        Ok(made)
    }

    /// Creates a key, for the command line.
    ///
    /// # Errors
    /// As [`create_by`]; `NOT_FOUND` for an unknown account.
    pub async fn create(&self, account: &AccountId, new: NewKey) -> Result<(KeyId, KeySecret)> {
        crate::people::account::Accounts::new(self.db.clone()).find(account).await?;
        let tx = self.db.begin().await?;
        let (key, secret) = insert(&tx, account, new, None).await?;
        let change = audit::Change::by_command_line(account, audit::Action::ApiKeyCreate, key.id.as_str());
        audit::write(&tx, change).await?;
        tx.commit().await?;
        Ok((key.id, secret))
    }

    /// Finds a key of an account.
    ///
    /// # Errors
    /// `NOT_FOUND` for an unknown key or one of another account.
    pub async fn find(&self, account: &AccountId, id: &KeyId) -> Result<ApiKey> {
        let row = keys_of(account).filter(api_key::Column::Id.eq(id.as_str())).one(self.db.read()).await?;
        from_row(row.ok_or_else(no_key)?)
    }

    /// Finds those of these keys that are the account's, in any order; revoked keys too.
    pub async fn find_many(&self, account: &AccountId, ids: &[KeyId]) -> Result<Vec<ApiKey>> {
        let rows = keys_of(account).filter(api_key::Column::Id.is_in(ids.iter().map(KeyId::as_str)));
        self.db.in_time(rows.all(self.db.read())).await?.into_iter().map(from_row).collect()
    }

    /// A page of an account's API keys, newest first, keyed by id. `active` leaves out revoked keys.
    pub async fn page(&self, account: &AccountId, active: bool, page: Page<String>) -> Result<Slice<ApiKey>> {
        let Slice { items, has_previous, has_next } =
            slice(filtered(account, active), api_key::Column::Id, true, page, self.db.read()).await?;
        let items = items.into_iter().map(from_row).collect::<Result<_>>()?;
        Ok(Slice { items, has_previous, has_next })
    }

    /// Counts an account's keys. `active` leaves out revoked keys.
    pub async fn count(&self, account: &AccountId, active: bool) -> Result<u64> {
        Ok(filtered(account, active).count(self.db.read()).await?)
    }

    /// The keys of one account or of all, oldest first.
    pub async fn list(&self, account: Option<&AccountId>) -> Result<Vec<api_key::Model>> {
        let mut query = api_key::Entity::find().order_by_asc(api_key::Column::Id);
        if let Some(account) = account {
            query = query.filter(api_key::Column::AccountId.eq(account.as_str()));
        }
        Ok(query.all(self.db.read()).await?)
    }

    /// Revokes a key of the account; every replica refuses it within 5 seconds. Revoking a revoked key succeeds.
    ///
    /// # Errors
    /// `FORBIDDEN` for an analyst; `NOT_FOUND` for an unknown key or one of another account.
    pub async fn revoke_by(&self, actor: &Actor, key: &KeyId) -> Result<ApiKey> {
        actor.require(Role::Editor)?;
        let tx = self.db.begin().await?;
        let ours = keys_of(&actor.account).filter(api_key::Column::Id.eq(key.as_str())).lock_exclusive();
        if ours.one(&tx).await?.ok_or_else(no_key)?.revoked_at.is_none() {
            end(&tx, key).await?;
            audit::write(&tx, audit::Change::by(actor, audit::Action::ApiKeyRevoke, key.as_str())).await?;
        }
        tx.commit().await?;
        self.find(&actor.account, key).await
    }

    /// Revokes a key, for the command line.
    ///
    /// # Errors
    /// `NOT_FOUND` for an unknown key.
    pub async fn revoke(&self, key: &KeyId) -> Result<()> {
        let tx = self.db.begin().await?;
        let row = api_key::Entity::find_by_id(key.as_str()).one(&tx).await?;
        let row = row.ok_or_else(|| Error::new(Code::NotFound, format!("there is no API key {key}")))?;
        end(&tx, key).await?;
        let account = AccountId::from(row.account_id);
        audit::write(
            &tx,
            audit::Change::by_command_line(&account, audit::Action::ApiKeyRevoke, key.as_str()),
        )
        .await?;
        tx.commit().await?;
        Ok(())
    }
}

impl ApiKey {
    /// Requests a minute, above 0.
    fn own_limit(&self) -> Option<u32> {
        self.rate_limit_per_minute.filter(|limit| *limit > 0)
    }
}

/// Requires that a key creates only keys with scopes and backends of its own, no later expiry and no higher rate limit.
/// A key with a limit counts the requests of those that it made, so these may make no others, of which it would not
/// know.
fn check_delegation(maker: &ApiKey, new: &NewKey) -> Result<()> {
    if let Some(scope) = new.scopes.iter().find(|scope| !maker.scopes.contains(scope)) {
        let message =
            format!("an API key can give another key only its own scopes, and it lacks `{}`", scope.as_str());
        return Err(Error::new(Code::Forbidden, message));
    }
    if maker.expires_at.is_some_and(|end| new.expires_at.is_none_or(|wanted| wanted > end)) {
        return Err(Error::new(
            Code::Forbidden,
            "an API key cannot create a key that outlives it: give it the same or an earlier expiry",
        ));
    }
    maker.backends.require_within(&new.backends)?;
    let Some(limit) = maker.own_limit() else { return Ok(()) };
    if new.rate_limit_per_minute.is_none_or(|wanted| wanted == 0 || wanted > limit) {
        let message = format!(
            "an API key with a rate limit creates only keys with a limit from 1 to {limit} requests a minute"
        );
        return Err(Error::new(Code::Forbidden, message));
    }
    if new.scopes.contains(&Scope::Manage) {
        let message = "an API key with a rate limit cannot create keys with the scope `manage`";
        return Err(Error::new(Code::Forbidden, message));
    }
    Ok(())
}

async fn insert(
    tx: &impl ConnectionTrait,
    account: &AccountId,
    new: NewKey,
    limited_by: Option<KeyId>,
) -> Result<(ApiKey, KeySecret)> {
    let name = new.name.trim().to_owned();
    if name.is_empty() || name.chars().count() > NAME_CHARS || name.chars().any(char::is_control) {
        return Err(Error::invalid("name", format!("must be 1 to {NAME_CHARS} characters on one line")));
    }
    if new.scopes.is_empty() {
        return Err(Error::invalid("scopes", "must name at least one of: moderate, infer, manage, read"));
    }
    if new.expires_at.is_some_and(|end| end <= Utc::now()) {
        return Err(Error::invalid("expires_at", "must be in the future"));
    }
    let limit = new.rate_limit_per_minute.map(i32::try_from).transpose();
    let limit = limit.map_err(|_| Error::invalid("rate_limit_per_minute", "must be from 0 to 2147483647"))?;
    let mut scopes = new.scopes;
    let mut seen = std::collections::HashSet::new();
    scopes.retain(|scope| seen.insert(*scope));
    let secret = KeySecret::generate();
    let names = scopes.iter().map(|scope| scope.as_str()).collect::<Vec<_>>();
    let row = api_key::Model {
        id: KeyId::new().into(),
        account_id: account.to_string(),
        name,
        hash: secret.hash(),
        hint: secret.hint().to_owned(),
        scopes: names.join(","),
        rate_limit_per_minute: limit,
        expires_at: new.expires_at,
        revoked_at: None,
        last_used_at: None,
        created_at: Utc::now(),
        moderation_policy_id: None,
        limited_by: limited_by.map(String::from),
        backends: new.backends.to_column(),
    };
    let written = row.clone().into_active_model().reset_all();
    api_key::Entity::insert(written).exec_without_returning(tx).await?;
    Ok((from_row(row)?, secret))
}

async fn end(tx: &impl ConnectionTrait, key: &KeyId) -> Result<()> {
    let first_time = Func::coalesce([Expr::col(api_key::Column::RevokedAt), Expr::value(Utc::now())]);
    api_key::Entity::update_many()
        .col_expr(api_key::Column::RevokedAt, first_time.into())
        .filter(api_key::Column::Id.eq(key.as_str()))
        .exec(tx)
        .await?;
    Ok(())
}

fn keys_of(account: &AccountId) -> sea_orm::Select<api_key::Entity> {
    api_key::Entity::find().filter(api_key::Column::AccountId.eq(account.as_str()))
}

fn filtered(account: &AccountId, active: bool) -> sea_orm::Select<api_key::Entity> {
    let all = keys_of(account);
    if active { all.filter(api_key::Column::RevokedAt.is_null()) } else { all }
}

fn no_key() -> Error {
    Error::not_found("API key")
}

fn from_row(row: api_key::Model) -> Result<ApiKey> {
    Ok(ApiKey {
        id: KeyId::from(row.id),
        name: row.name,
        hint: row.hint,
        scopes: row.scopes.split(',').map(Scope::parse).collect::<Result<_>>()?,
        rate_limit_per_minute: row.rate_limit_per_minute.and_then(|limit| u32::try_from(limit).ok()),
        expires_at: row.expires_at,
        revoked_at: row.revoked_at,
        last_used_at: row.last_used_at,
        created_at: row.created_at,
        moderation_policy: row.moderation_policy_id.map(PolicyId::from),
        backends: AllowedBackends::stored(row.backends.as_deref()),
    })
}
