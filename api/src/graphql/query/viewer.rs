//! Who asks.

use async_graphql::{Context, Object};

use crate::graphql::{context::request_info, error::FieldResult, model::Viewer};

/// Who asks.
#[derive(Default)]
pub(crate) struct ViewerQuery;

#[Object]
impl ViewerQuery {
    /// Whoever asks; null for a guest, who may only sign in or up.
    async fn viewer(&self, ctx: &Context<'_>) -> FieldResult<Option<Viewer>> {
        Ok(request_info(ctx)?.actor.clone().map(Viewer))
    }
}
