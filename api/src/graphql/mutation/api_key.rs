//! Mutations of API keys.

use async_graphql::{Context, ID, InputObject, Object, SimpleObject};
use domain::{Error, people::api_key::NewKey};

use super::parse_id;
use crate::graphql::{
    context::{actor, services},
    date_time::DateTime,
    error::{FieldResult, UserError, split_user_errors},
    model::{ApiKey, Scope},
};

#[derive(Default)]
pub(crate) struct ApiKeyMutation;

/// A new API key.
#[derive(InputObject)]
struct CreateApiKeyInput {
    /// The key's name: 1 to 100 characters on one line.
    name: String,
    /// The key's permissions; at least one.
    scopes: Vec<Scope>,
    /// When the key expires; by default never.
    expires_at: Option<DateTime>,
    /// The key's own rate limit in requests per minute, besides its account's; by default, and with 0, none.
    rate_limit_per_minute: Option<i32>,
    /// The names of the backends that the key may use beside the default model; null for all of the account's.
    backends: Option<Vec<String>>,
}

/// The backends of an API key.
#[derive(InputObject)]
struct SetApiKeyBackendsInput {
    /// The key's id.
    id: ID,
    /// The names of the backends that it may use beside the default model; null for all of the account's.
    backends: Option<Vec<String>>,
}

/// The API key to revoke.
#[derive(InputObject)]
struct RevokeApiKeyInput {
    /// The key's id.
    id: ID,
}

/// The new key with its secret, or errors.
#[derive(SimpleObject)]
struct CreateApiKeyPayload {
    /// The key; null if none was created.
    api_key: Option<ApiKey>,
    /// The secret that programs authenticate with. It is shown only here and cannot be read again.
    secret: Option<String>,
    /// Errors in the input; empty if there are none.
    user_errors: Vec<UserError>,
}

/// The changed key, or errors.
#[derive(SimpleObject)]
struct ApiKeyPayload {
    /// The key; null if nothing changed.
    api_key: Option<ApiKey>,
    /// Errors in the input; empty if there are none.
    user_errors: Vec<UserError>,
}

#[Object]
impl ApiKeyMutation {
    /// Creates an API key. Needs the role editor. With an API key of the scope `manage`, the new key can have only that
    /// key's own scopes and backends, cannot expire later than it, and cannot have a higher rate limit. If that key
    /// has a rate limit, the new key's requests count towards it too, and the new key cannot have the scope `manage`.
    async fn create_api_key(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The new key.")] input: CreateApiKeyInput,
    ) -> FieldResult<CreateApiKeyPayload> {
        let service = services(ctx)?;
        let actor = actor(ctx)?;
        let create = async {
            let limit = input.rate_limit_per_minute.map(u32::try_from).transpose();
            let new = NewKey {
                name: input.name,
                scopes: input.scopes.into_iter().map(Into::into).collect(),
                expires_at: input.expires_at.map(|time| time.0),
                rate_limit_per_minute: limit
                    .map_err(|_| Error::invalid("rate_limit_per_minute", "must not be negative"))?,
                backends: service.inference.allowed("backends", input.backends)?,
            };
            service.api_keys.create_by(actor, new).await
        };
        let (made, user_errors) = split_user_errors(create.await)?;
        let (api_key, secret) = made.map(|(key, secret)| (ApiKey(key), secret.reveal().to_owned())).unzip();
        Ok(CreateApiKeyPayload { api_key, secret, user_errors })
    }

    /// Limits an API key to some backends, and with it the keys that it made. All replicas follow within 5 seconds.
    /// Needs the role editor; an API key allows only backends that it may use itself.
    async fn set_api_key_backends(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The key and its backends.")] input: SetApiKeyBackendsInput,
    ) -> FieldResult<ApiKeyPayload> {
        let service = services(ctx)?;
        let actor = actor(ctx)?;
        let set = async {
            let backends = service.inference.allowed("backends", input.backends)?;
            service.api_keys.set_backends_by(actor, &parse_id(&input.id), &backends).await
        };
        let (key, user_errors) = split_user_errors(set.await)?;
        Ok(ApiKeyPayload { api_key: key.map(ApiKey), user_errors })
    }

    /// Revokes an API key. All replicas refuse it within 5 seconds. Needs the role editor.
    async fn revoke_api_key(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The key to revoke.")] input: RevokeApiKeyInput,
    ) -> FieldResult<ApiKeyPayload> {
        let service = services(ctx)?;
        let actor = actor(ctx)?;
        let (key, user_errors) =
            split_user_errors(service.api_keys.revoke_by(actor, &parse_id(&input.id)).await)?;
        Ok(ApiKeyPayload { api_key: key.map(ApiKey), user_errors })
    }
}
