//! The query of the viewer.

use async_graphql::{Context, Object};

use crate::graphql::{context::request_info, error::FieldResult, model::Viewer};

#[derive(Default)]
pub(crate) struct ViewerQuery;

#[Object]
impl ViewerQuery {
    /// The user or the API key that sent the request; null for a guest, who may only sign in or up.
    async fn viewer(&self, ctx: &Context<'_>) -> FieldResult<Option<Viewer>> {
        Ok(request_info(ctx)?.actor.clone().map(Viewer))
    }
}
