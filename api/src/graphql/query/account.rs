//! Queries of accounts.

use async_graphql::{Context, Object};

use crate::graphql::{
    context::{actor, services},
    error::{FieldResult, field_error},
    model::{Account, Price},
};

#[derive(Default)]
pub(crate) struct AccountQuery;

#[Object]
impl AccountQuery {
    /// The viewer's account.
    async fn account(&self, ctx: &Context<'_>) -> FieldResult<Account> {
        Ok(Account(services(ctx)?.accounts.find(&actor(ctx)?.account).await.map_err(field_error)?))
    }

    /// What operations cost here, so that a person can be shown the price before agreeing to it.
    async fn prices(&self, ctx: &Context<'_>) -> FieldResult<Vec<Price>> {
        actor(ctx)?;
        let prices = services(ctx)?.billing.prices.list().await.map_err(field_error)?;
        Ok(prices.into_iter().map(Price::from).collect())
    }
}
