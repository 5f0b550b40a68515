//! Making and ending API keys.

use async_graphql::{Context, ID, InputObject, Object, SimpleObject};
use domain::{
    Error,
    api_key::{self, NewKey},
};

use super::parse_id;
use crate::graphql::{
    context::{actor, services},
    date_time::DateTime,
    error::{FieldResult, UserError, split_user_errors},
    model::{ApiKey, Scope},
};

/// Making and ending API keys.
#[derive(Default)]
pub(crate) struct ApiKeyMutation;

/// What a new API key should be.
#[derive(InputObject)]
struct CreateApiKeyInput {
    /// A word to know it by: 1 to 100 characters on one line.
    name: String,
    /// What it may do; at least one.
    scopes: Vec<Scope>,
    /// When it ends by itself; left out, never.
    expires_at: Option<DateTime>,
    /// Requests a minute, 0 for no limit; left out, the account's or the deployment's.
    rate_limit_per_minute: Option<i32>,
}

/// Which API key.
#[derive(InputObject)]
struct ApiKeyInput {
    /// The key, by its id.
    id: ID,
}

/// The new key with its secret, or why there is none.
#[derive(SimpleObject)]
struct CreateApiKeyPayload {
    /// The key; null when there is none.
    api_key: Option<ApiKey>,
    /// What programs show. Given this once: nobody can read it again.
    secret: Option<String>,
    /// What was wrong with the input.
    user_errors: Vec<UserError>,
}

/// The key as it is now, or why it has not changed.
#[derive(SimpleObject)]
struct ApiKeyPayload {
    /// The key; null when it has not changed.
    api_key: Option<ApiKey>,
    /// What was wrong with the input.
    user_errors: Vec<UserError>,
}

#[Object]
impl ApiKeyMutation {
    /// Makes an API key. Needs the role editor. An API key with the scope `manage` makes keys with its own scopes alone, which do
    /// not outlive it.
    async fn create_api_key(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "What it should be.")] input: CreateApiKeyInput,
    ) -> FieldResult<CreateApiKeyPayload> {
        let (service, actor) = (services(ctx)?, actor(ctx)?);
        let create = async {
            let limit = input.rate_limit_per_minute.map(u32::try_from).transpose();
            let new = NewKey {
                name: input.name,
                scopes: input.scopes.into_iter().map(Into::into).collect(),
                expires_at: input.expires_at.map(|time| time.0),
                rate_limit_per_minute: limit
                    .map_err(|_| Error::invalid("rate_limit_per_minute", "must not be negative"))?,
            };
            api_key::create_by(&service.db, actor, new).await
        };
        let (made, user_errors) = split_user_errors(create.await)?;
        let (api_key, secret) = made.map(|(key, secret)| (ApiKey(key), secret.reveal().to_owned())).unzip();
        Ok(CreateApiKeyPayload { api_key, secret, user_errors })
    }

    /// Ends an API key; it is refused everywhere within 5 seconds. Needs the role editor.
    async fn revoke_api_key(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Which one.")] input: ApiKeyInput,
    ) -> FieldResult<ApiKeyPayload> {
        let (service, actor) = (services(ctx)?, actor(ctx)?);
        let (key, user_errors) =
            split_user_errors(api_key::revoke_by(&service.db, actor, &parse_id(&input.id)).await)?;
        Ok(ApiKeyPayload { api_key: key.map(ApiKey), user_errors })
    }
}
