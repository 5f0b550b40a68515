//! Loads who did something: the users and API keys of an account.

use std::{collections::HashMap, sync::Arc};

use async_graphql::dataloader::Loader;
use domain::{
    Error,
    people::{account::Person, api_key::ApiKey},
};
use ports::id::{AccountId, KeyId, UserId};

use domain::services::Services;

/// A user or an API key.
#[derive(Clone)]
pub(crate) enum KnownActor {
    User(Person),
    Key(ApiKey),
}

/// Loads actors by their ids, `user_…` and `key_…`. What is not of the account, or was removed, is not found.
pub(crate) struct Actors(pub(super) (Services, AccountId));

impl Loader<String> for Actors {
    type Value = KnownActor;
    type Error = Arc<Error>;

    async fn load(&self, ids: &[String]) -> Result<HashMap<String, KnownActor>, Self::Error> {
        let (ctx, account) = &self.0;
        let users: Vec<UserId> = ids.iter().filter_map(|id| UserId::read(id)).collect();
        let keys: Vec<KeyId> = ids.iter().filter_map(|id| KeyId::read(id)).collect();
        let mut found = HashMap::new();
        if !users.is_empty() {
            let people = ctx.accounts.people_by_id(account, &users).await.map_err(Arc::new)?;
            found.extend(people.into_iter().map(|user| (user.id.to_string(), KnownActor::User(user))));
        }
        if !keys.is_empty() {
            let keys = ctx.api_keys.find_many(account, &keys).await.map_err(Arc::new)?;
            found.extend(keys.into_iter().map(|key| (key.id.to_string(), KnownActor::Key(key))));
        }
        Ok(found)
    }
}
