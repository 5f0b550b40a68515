//! API keys, without their secrets.

use async_graphql::{Context, Enum, ID, Object};
use chrono::Utc;
use domain::{api_key, id::AccountId};

use crate::graphql::{
    context::services,
    date_time::DateTime,
    error::{FieldResult, field_error},
    pagination::{ListConnection, PageArgs, connection},
};

/// What an API key may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum)]
pub(crate) enum Scope {
    /// Moderate text and images.
    Moderate,
    /// Run decision inference.
    Infer,
    /// Change what the account has, as an editor may.
    Manage,
    /// Look at what the account has, as an analyst may.
    Read,
}

impl From<api_key::Scope> for Scope {
    fn from(scope: api_key::Scope) -> Self {
        match scope {
            api_key::Scope::Moderate => Scope::Moderate,
            api_key::Scope::Infer => Scope::Infer,
            api_key::Scope::Manage => Scope::Manage,
            api_key::Scope::Read => Scope::Read,
        }
    }
}

impl From<Scope> for api_key::Scope {
    fn from(scope: Scope) -> Self {
        match scope {
            Scope::Moderate => api_key::Scope::Moderate,
            Scope::Infer => api_key::Scope::Infer,
            Scope::Manage => api_key::Scope::Manage,
            Scope::Read => api_key::Scope::Read,
        }
    }
}

/// A key that programs come in with. Its secret was shown when it was made, and is not kept.
pub(crate) struct ApiKey(pub(crate) api_key::Listed);

/// A page of API keys.
pub(crate) type ApiKeyConnection = ListConnection<ApiKey>;

/// A key that programs come in with. Its secret was shown when it was made, and is not kept.
#[Object]
impl ApiKey {
    /// `key_…`
    pub(crate) async fn id(&self) -> ID {
        ID(self.0.id.to_string())
    }

    /// A person's word for it.
    async fn name(&self) -> &str {
        &self.0.name
    }

    /// The first characters of its secret, so that people can tell keys apart.
    async fn hint(&self) -> &str {
        &self.0.hint
    }

    /// What it may do.
    async fn scopes(&self) -> Vec<Scope> {
        self.0.scopes.iter().map(|scope| Scope::from(*scope)).collect()
    }

    /// Requests a minute that it may make: 0 for no limit, null for the account's or the deployment's.
    async fn rate_limit_per_minute(&self) -> Option<u32> {
        self.0.rate_limit_per_minute
    }

    /// When it ends by itself; null for never.
    async fn expires_at(&self) -> Option<DateTime> {
        self.0.expires_at.map(DateTime)
    }

    /// Since when it is revoked; null when it is not.
    async fn revoked_at(&self) -> Option<DateTime> {
        self.0.revoked_at.map(DateTime)
    }

    /// Whether it still lets anybody in: neither revoked nor expired.
    async fn active(&self) -> bool {
        self.0.revoked_at.is_none() && self.0.expires_at.is_none_or(|end| Utc::now() < end)
    }

    /// When it was last used, to the minute; null for never.
    async fn last_used_at(&self) -> Option<DateTime> {
        self.0.last_used_at.map(DateTime)
    }

    /// When it was made.
    async fn created_at(&self) -> DateTime {
        self.0.created_at.into()
    }
}

/// A page of an account's keys.
pub(super) async fn keys(
    ctx: &Context<'_>,
    account: AccountId,
    revoked: bool,
    args: PageArgs,
) -> FieldResult<ApiKeyConnection> {
    let db = services(ctx)?.db.clone();
    let list = format!("apiKeys:{account}");
    let slice =
        api_key::page(&db, &account, !revoked, args.page::<String>(&list)?).await.map_err(field_error)?;
    let count = move || {
        let (db, account) = (db.clone(), account.clone());
        Box::pin(async move { api_key::count(&db, &account, !revoked).await }) as _
    };
    Ok(connection(&list, slice, |key| key.id.to_string(), ApiKey, Box::new(count)))
}
