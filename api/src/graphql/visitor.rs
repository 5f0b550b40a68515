//! Who asks a GraphQL operation: somebody who has proved who they are, or a guest, who may only sign in or up.

use async_graphql::Context;
use domain::{Code, Error, actor::Actor, id::RequestId};

use super::error::{Fault, fault};
use crate::graphql::load::Loaders;

/// In the data of every operation.
pub(crate) struct Visitor {
    /// Who, when they have said so.
    pub(crate) actor: Option<Actor>,
    /// This request.
    pub(crate) request_id: RequestId,
    /// What the browser calls itself; may be empty.
    pub(crate) user_agent: String,
}

/// Who asks.
///
/// # Errors
/// `UNAUTHORIZED` for a guest.
pub(crate) fn actor<'a>(ctx: &'a Context<'_>) -> Fault<&'a Actor> {
    let visitor = ctx.data::<Visitor>()?;
    let guest = || {
        Error::new(Code::Unauthorized, "sign in first, or send an API key with the scope `read` or `manage`")
    };
    visitor.actor.as_ref().ok_or_else(guest).map_err(fault)
}

/// The service behind the API.
pub(crate) fn service<'a>(ctx: &'a Context<'_>) -> Fault<&'a domain::Context> {
    ctx.data::<domain::Context>()
}

/// What reads rows in batches for this operation.
///
/// # Errors
/// `UNAUTHORIZED` for a guest.
pub(crate) fn loaders<'a>(ctx: &'a Context<'_>) -> Fault<&'a Loaders> {
    actor(ctx)?;
    ctx.data::<Loaders>()
}
