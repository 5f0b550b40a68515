//! Data that resolvers take from async-graphql's context.

use async_graphql::Context;
use domain::{
    Code, Error,
    foundation::{actor::Actor, network::Network},
    people::session::KnownDevice,
};
use ports::id::RequestId;

use super::{
    current_actor::{ActorScope, CurrentActor},
    error::{FieldResult, field_error},
    loaders::Loaders,
};
use crate::caller::Caller;

/// The HTTP request or WebSocket message that an operation came with; in the data of every operation.
#[derive(Clone)]
pub(crate) struct RequestInfo {
    /// The actor that sent the request; none for a guest.
    pub(crate) actor: Option<Actor>,
    pub(crate) request_id: RequestId,
    /// The network of the client.
    pub(crate) network: Network,
    /// The device of a guest, if somebody has signed in there before.
    pub(crate) device: Option<KnownDevice>,
    /// The header `User-Agent`; may be empty.
    pub(crate) user_agent: String,
    /// Whether cookies must have the attribute `Secure`.
    pub(crate) secure: bool,
}

impl RequestInfo {
    pub(super) fn caller(&self) -> Caller {
        match (&self.actor, &self.device) {
            (Some(Actor { account, .. }), _) | (None, Some(KnownDevice { account, .. })) => {
                Caller::Account(account.clone())
            }
            (None, None) => Caller::Guest(self.network),
        }
    }
}

/// The operation's request.
pub(crate) fn request_info<'a>(ctx: &'a Context<'_>) -> FieldResult<&'a RequestInfo> {
    ctx.data::<RequestInfo>().map_err(missing)
}

/// The actor that the operation runs as.
///
/// # Errors
/// `UNAUTHORIZED` for a guest.
pub(crate) fn actor<'a>(ctx: &'a Context<'_>) -> FieldResult<&'a Actor> {
    // A subscription's stream is made before anything is executed, so there is no scope yet.
    let current = actor_scope(ctx).map(|scope| &scope.actor);
    current.or(request_info(ctx)?.actor.as_ref()).ok_or_else(unauthorized)
}

/// The service behind the API.
pub(crate) fn services<'a>(ctx: &'a Context<'_>) -> FieldResult<&'a domain::services::Services> {
    ctx.data::<domain::services::Services>().map_err(missing)
}

/// The operation's data loaders.
///
/// # Errors
/// `UNAUTHORIZED` for a guest.
pub(crate) fn loaders<'a>(ctx: &'a Context<'_>) -> FieldResult<&'a Loaders> {
    actor_scope(ctx).map(|scope| &scope.loaders).ok_or_else(unauthorized)
}

/// The actor that the operation runs as, to be changed by a sign-in.
pub(crate) fn current_actor<'a>(ctx: &'a Context<'_>) -> FieldResult<&'a CurrentActor> {
    ctx.data::<CurrentActor>().map_err(missing)
}

fn actor_scope<'a>(ctx: &'a Context<'_>) -> Option<&'a ActorScope> {
    ctx.data_opt::<CurrentActor>()?.scope()
}

fn unauthorized() -> async_graphql::Error {
    let message = "sign in first, or send an API key with the scope `read` or `manage`";
    field_error(Error::new(Code::Unauthorized, message))
}

fn missing(error: async_graphql::Error) -> async_graphql::Error {
    field_error(Error::internal(error.message))
}
