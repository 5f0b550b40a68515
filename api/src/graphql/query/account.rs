//! Who asks, and their account.

use async_graphql::{Context, Object};
use domain::account;

use crate::graphql::{
    context::{actor, services},
    error::{FieldResult, field_error},
    model::Account,
};

/// Who asks, and their account.
#[derive(Default)]
pub(crate) struct AccountQuery;

#[Object]
impl AccountQuery {
    /// The account of whoever asks.
    async fn account(&self, ctx: &Context<'_>) -> FieldResult<Account> {
        Ok(Account(account::find(&services(ctx)?.db, &actor(ctx)?.account).await.map_err(field_error)?))
    }
}
