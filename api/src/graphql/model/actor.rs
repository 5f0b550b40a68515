//! Who did something.

use async_graphql::{Context, ID, Object};

use super::{ApiKey, User};
use crate::graphql::{
    context::loaders,
    error::{FieldResult, field_error},
    loaders::{KnownActor, batch_error},
};

/// An actor by its id.
pub(crate) struct Actor(pub(crate) String);

/// Who did something: a user, an API key, or an operator of the deployment.
#[Object]
impl Actor {
    /// The id: `user_…`, `key_…`, or `operator` for the command line.
    // Known without a lookup, so that an actor's id costs as much as the field that names it.
    #[graphql(complexity = 0)]
    async fn id(&self) -> ID {
        ID(self.0.clone())
    }

    /// The user's e-mail address or the key's name; null for users who were removed, and for operators.
    async fn name(&self, ctx: &Context<'_>) -> FieldResult<Option<String>> {
        Ok(self.known(ctx).await?.map(|known| match known {
            KnownActor::User(user) => user.email,
            KnownActor::Key(key) => key.name,
        }))
    }

    /// The user; null for others, and for users who were removed.
    async fn user(&self, ctx: &Context<'_>) -> FieldResult<Option<User>> {
        Ok(self.known(ctx).await?.and_then(|known| match known {
            KnownActor::User(user) => Some(User(user)),
            KnownActor::Key(_) => None,
        }))
    }

    /// The API key, also a revoked one; null for others.
    async fn api_key(&self, ctx: &Context<'_>) -> FieldResult<Option<ApiKey>> {
        Ok(self.known(ctx).await?.and_then(|known| match known {
            KnownActor::User(_) => None,
            KnownActor::Key(key) => Some(ApiKey(key)),
        }))
    }
}

impl Actor {
    async fn known(&self, ctx: &Context<'_>) -> FieldResult<Option<KnownActor>> {
        let found = loaders(ctx)?.actors.load_one(self.0.clone()).await;
        found.map_err(|error| field_error(batch_error(error)))
    }
}
