//! Subscriptions to an account.

use async_graphql::{Context, Result, Subscription};
use futures_util::{StreamExt, stream::BoxStream};

use super::feed::AccountFeeds;
use crate::graphql::{
    context::actor,
    error::{FieldResult, field_error},
    loaders::batch_error,
    model::Account,
};

#[derive(Default)]
pub(crate) struct AccountSubscription;

#[Subscription]
impl AccountSubscription {
    /// The account, each time its balance or its held credits have changed. Several changes within a short time may
    /// arrive as one.
    async fn balance_changed(&self, ctx: &Context<'_>) -> Result<BoxStream<'static, FieldResult<Account>>> {
        let balance = ctx.data::<AccountFeeds>()?.balance(&actor(ctx)?.account);
        Ok(balance.map(|read| read.map(Account).map_err(batch_error).map_err(field_error)).boxed())
    }
}
