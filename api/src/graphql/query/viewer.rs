//! Who asks.

use async_graphql::{Context, Object};

use crate::graphql::{error::Fault, model::Viewer, visitor::visitor};

/// Who asks.
#[derive(Default)]
pub(crate) struct ViewerQuery;

#[Object]
impl ViewerQuery {
    /// Whoever asks; null for a guest, who may only sign in or up.
    async fn viewer(&self, ctx: &Context<'_>) -> Fault<Option<Viewer>> {
        Ok(visitor(ctx)?.actor.clone().map(Viewer))
    }
}
