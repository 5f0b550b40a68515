//! Who asks a GraphQL operation: somebody who has proved who they are, or a guest, who may only sign in or up.

use async_graphql::Context;
use axum::{
    extract::{Request, State},
    http::{HeaderMap, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use cookie::Cookie;
use domain::{Code, Error, Result, account, actor::Actor, id::RequestId, session};

use super::{
    cookie::SESSION_COOKIE,
    current_actor::{ActorScope, CurrentActor},
    error::{FieldResult, field_error},
    loaders::Loaders,
};
use crate::{
    access::{presented_key, within_rate},
    app::App,
    error::Failure,
};

/// The header without which no cookie counts: a page of another origin cannot send it unasked.
const CSRF: &str = "x-gavel-csrf";

/// In the data of every operation.
#[derive(Clone)]
pub(crate) struct RequestInfo {
    /// Who sent it, when they have said so.
    pub(crate) actor: Option<Actor>,
    /// This request.
    pub(crate) request_id: RequestId,
    /// What the browser calls itself; may be empty.
    pub(crate) user_agent: String,
    /// Whether cookies must be for https alone.
    pub(crate) secure: bool,
}

impl RequestInfo {
    /// Nobody in particular.
    pub(super) fn guest(request_id: RequestId) -> Self {
        Self { actor: None, request_id, user_agent: String::new(), secure: false }
    }
}

/// This operation's visitor.
pub(crate) fn request_info<'a>(ctx: &'a Context<'_>) -> FieldResult<&'a RequestInfo> {
    ctx.data::<RequestInfo>().map_err(absent)
}

/// Who asks.
///
/// # Errors
/// `UNAUTHORIZED` for a guest.
pub(crate) fn actor<'a>(ctx: &'a Context<'_>) -> FieldResult<&'a Actor> {
    // What a subscription is to is made out before anything is executed, and by whoever sent it.
    let current = actor_scope(ctx).map(|actor_scope| &actor_scope.actor);
    current.or(request_info(ctx)?.actor.as_ref()).ok_or_else(guest)
}

/// The service behind the API.
pub(crate) fn service<'a>(ctx: &'a Context<'_>) -> FieldResult<&'a domain::Context> {
    ctx.data::<domain::Context>().map_err(absent)
}

/// What reads rows in batches for this operation.
///
/// # Errors
/// `UNAUTHORIZED` for a guest.
pub(crate) fn loaders<'a>(ctx: &'a Context<'_>) -> FieldResult<&'a Loaders> {
    actor_scope(ctx).map(|actor_scope| &actor_scope.loaders).ok_or_else(guest)
}

/// Who this operation is run for.
pub(crate) fn current_actor<'a>(ctx: &'a Context<'_>) -> FieldResult<&'a CurrentActor> {
    ctx.data::<CurrentActor>().map_err(absent)
}

fn actor_scope<'a>(ctx: &'a Context<'_>) -> Option<&'a ActorScope> {
    ctx.data_opt::<CurrentActor>()?.last()
}

fn guest() -> async_graphql::Error {
    let message = "sign in first, or send an API key with the scope `read` or `manage`";
    field_error(Error::new(Code::Unauthorized, message))
}

fn absent(error: async_graphql::Error) -> async_graphql::Error {
    field_error(Error::internal(error.message))
}

/// Finds out who asks and puts a [`Visitor`] into the request's extensions, or refuses the request: 401 for a key that is
/// not valid, 403 for one that may not manage or for a cookie without its header, 429. Nobody in particular is a guest.
pub(crate) async fn authenticate(State(app): State<App>, mut request: Request, next: Next) -> Response {
    let (actor, limit) = match identify(&app, request.headers()).await {
        Ok(who) => who,
        Err(error) => return Failure(error).into_response(),
    };
    let whose = actor.as_ref().map(|actor| actor.name().to_owned());
    let request_info = request_info_of(&app, actor, &request);
    request.extensions_mut().insert(request_info);
    match whose {
        Some(whose) => within_rate(&app.access, &whose, limit, next.run(request)).await,
        None => next.run(request).await,
    }
}

fn request_info_of(app: &App, actor: Option<Actor>, request: &Request) -> RequestInfo {
    let text = |name| request.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    RequestInfo {
        actor,
        request_id: request.extensions().get::<RequestId>().cloned().unwrap_or_else(RequestId::new),
        user_agent: text("user-agent").to_owned(),
        secure: app.settings.secure_cookies || text("x-forwarded-proto").eq_ignore_ascii_case("https"),
    }
}

/// Who asks, and how often a minute they may, where they or their account have a limit of their own.
async fn identify(app: &App, headers: &HeaderMap) -> Result<(Option<Actor>, Option<u32>)> {
    if let Some(key) = presented_key(headers) {
        let identity = app.ctx.keys.identify(&key).await?;
        return Ok((Some(Actor::with_key(&identity)?), identity.rate_limit_per_minute));
    }
    let Some(secret) = secret(headers) else { return Ok((None, None)) };
    let Some(actor) = session::identify(&app.ctx.db, &secret).await? else { return Ok((None, None)) };
    if headers.get(CSRF).is_none_or(|value| value.is_empty()) {
        let message = "a request with a session's cookie needs the header X-Gavel-CSRF, with any value";
        return Err(Error::new(Code::Forbidden, message));
    }
    let limit = account::rate_limit(&app.ctx.db, &actor.account).await?;
    Ok((Some(actor), limit))
}

/// The secret in a request's cookie.
pub(super) fn secret(headers: &HeaderMap) -> Option<String> {
    let lines = headers.get_all(header::COOKIE).into_iter().filter_map(|line| line.to_str().ok());
    let mut cookies = lines.flat_map(Cookie::split_parse).filter_map(std::result::Result::ok);
    cookies.find(|cookie| cookie.name() == SESSION_COOKIE).map(|cookie| cookie.value().to_owned())
}
