//! Who asks, and their account.

use async_graphql::{Context, Object};
use domain::account;

use crate::graphql::{
    error::{Fault, fault},
    model::Account,
    visitor::{actor, service},
};

/// Who asks, and their account.
#[derive(Default)]
pub(crate) struct AccountQuery;

#[Object]
impl AccountQuery {
    /// The account of whoever asks.
    async fn account(&self, ctx: &Context<'_>) -> Fault<Account> {
        Ok(Account(account::find(&service(ctx)?.db, &actor(ctx)?.account).await.map_err(fault)?))
    }
}
