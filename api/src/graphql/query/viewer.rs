//! The query of the viewer.

use async_graphql::{Context, Object};

use crate::graphql::{
    context::{request_info, services},
    error::FieldResult,
    model::Viewer,
};

#[derive(Default)]
pub(crate) struct ViewerQuery;

#[Object]
impl ViewerQuery {
    /// Whether this deployment sends e-mail: invitations, and links for forgotten passwords. For everybody.
    async fn sends_email(&self, ctx: &Context<'_>) -> FieldResult<bool> {
        Ok(services(ctx)?.mails.are_sent())
    }

    /// The user or the API key that sent the request; null for a guest, who may only sign in or up.
    async fn viewer(&self, ctx: &Context<'_>) -> FieldResult<Option<Viewer>> {
        Ok(request_info(ctx)?.actor.clone().map(Viewer))
    }
}
