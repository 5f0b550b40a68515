//! Queries of webhook endpoints by their id. The list is a field of the account.

use async_graphql::{Context, ID, Object};
use ports::id::WebhookId;

use crate::graphql::{
    context::{actor, services},
    error::{FieldResult, field_error},
    model::WebhookEndpoint,
};

#[derive(Default)]
pub(crate) struct WebhookQuery;

#[Object]
impl WebhookQuery {
    /// A webhook endpoint of the account. Null with the code `NOT_FOUND` if there is none with this id.
    async fn webhook_endpoint(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The endpoint's id.")] id: ID,
    ) -> FieldResult<Option<WebhookEndpoint>> {
        find(ctx, &id).await.map(Some)
    }
}

pub(super) async fn find(ctx: &Context<'_>, id: &str) -> FieldResult<WebhookEndpoint> {
    let id = WebhookId::parse(id).map_err(field_error)?;
    let found = services(ctx)?.webhooks.find(&actor(ctx)?.account, &id).await;
    found.map(WebhookEndpoint).map_err(field_error)
}
