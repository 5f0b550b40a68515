//! API keys, without their secrets.

use async_graphql::{Context, Enum, ID, Object};
use chrono::Utc;
use domain::people::api_key;
use ports::id::AccountId;

use crate::graphql::{
    context::services,
    date_time::DateTime,
    error::{FieldResult, field_error},
    pagination::{ListConnection, PageArgs, connection, count_of},
};

/// A permission of an API key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum)]
pub(crate) enum Scope {
    /// Moderate texts and images.
    Moderate,
    /// Run inferences.
    Infer,
    /// Change the account's resources, like an editor.
    Manage,
    /// Read the account's resources, like an analyst.
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

pub(crate) struct ApiKey(pub(crate) api_key::ApiKey);

pub(crate) type ApiKeyConnection = ListConnection<ApiKey>;

/// A key that programs authenticate with. Its secret was shown once, when the key was created, and is not stored.
#[Object]
impl ApiKey {
    /// The key's id, `key_…`.
    pub(crate) async fn id(&self) -> ID {
        ID(self.0.id.to_string())
    }

    /// The key's name.
    async fn name(&self) -> &str {
        &self.0.name
    }

    /// The first characters of the secret, to tell keys apart.
    async fn hint(&self) -> &str {
        &self.0.hint
    }

    /// The key's permissions.
    async fn scopes(&self) -> Vec<Scope> {
        self.0.scopes.iter().map(|scope| Scope::from(*scope)).collect()
    }

    /// The key's own rate limit in requests per minute, besides its account's; null or 0 for none.
    async fn rate_limit_per_minute(&self) -> Option<u32> {
        self.0.rate_limit_per_minute
    }

    /// The names of the backends that the key may use beside the default model; null for all of the account's.
    async fn backends(&self) -> Option<&[String]> {
        self.0.backends.names()
    }

    /// When the key expires; null for never.
    async fn expires_at(&self) -> Option<DateTime> {
        self.0.expires_at.map(DateTime)
    }

    /// When the key was revoked; null if it was not.
    async fn revoked_at(&self) -> Option<DateTime> {
        self.0.revoked_at.map(DateTime)
    }

    /// Whether the key is valid: neither revoked nor expired.
    async fn active(&self) -> bool {
        self.0.revoked_at.is_none() && self.0.expires_at.is_none_or(|end| Utc::now() < end)
    }

    /// When the key was last used, to the minute; null for never.
    async fn last_used_at(&self) -> Option<DateTime> {
        self.0.last_used_at.map(DateTime)
    }

    /// The id of the moderation policy of requests that name none; null for no policy.
    async fn moderation_policy_id(&self) -> Option<ID> {
        self.0.moderation_policy.as_ref().map(|id| ID(id.to_string()))
    }

    /// When the key was created.
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
    let keys = services(ctx)?.api_keys.clone();
    let list = format!("apiKeys:{account}");
    let slice = keys.page(&account, !revoked, args.page::<String>(&list)?).await.map_err(field_error)?;
    let count =
        count_of((keys, account), move |(keys, account)| async move { keys.count(&account, !revoked).await });
    Ok(connection(&list, slice, |key| key.id.to_string(), ApiKey, count))
}
