//! Authentication of GraphQL requests: by an API key, or by a session's cookie together with a header against cross-site requests.
//! A request with neither is a guest's, who may only sign in or up.

use axum::{
    extract::{Request, State},
    http::{HeaderMap, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use cookie::Cookie;
use domain::{
    Code, Error, Result, account,
    actor::Actor,
    id::RequestId,
    session::{self, KnownDevice},
};

use super::{
    context::RequestInfo,
    cookie::{DEVICE_COOKIE, SESSION_COOKIE},
    state::GraphqlState,
};
use crate::{
    access::{presented_key, within_rate},
    client_address::client_network,
    error::Failure,
};

/// A request with a session's cookie needs this header, which a page of another origin cannot send unasked.
const CSRF_HEADER: &str = "x-gavel-csrf";

/// Puts a [`RequestInfo`] into the request's extensions, or refuses the request: 401 for a key that is not valid, 403 for one without
/// the scope `manage` or `read` and for a cookie without its header, 429 over the rate limit.
pub(crate) async fn authenticate(
    State(state): State<GraphqlState>,
    mut request: Request,
    next: Next,
) -> Response {
    let Identity { actor, rate_limit, device } = match identify(&state, request.headers()).await {
        Ok(identity) => identity,
        Err(error) => return Failure(error).into_response(),
    };
    let name = actor.as_ref().map(|actor| actor.name().to_owned());
    let info = request_info(&state, actor, device, &request);
    request.extensions_mut().insert(info);
    match name {
        Some(name) => within_rate(&state.access, &name, rate_limit, next.run(request)).await,
        None => next.run(request).await,
    }
}

fn request_info(
    state: &GraphqlState,
    actor: Option<Actor>,
    device: Option<KnownDevice>,
    request: &Request,
) -> RequestInfo {
    let text = |name| request.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    RequestInfo {
        actor,
        network: client_network(
            request.extensions().get(),
            request.headers(),
            &state.settings.trusted_proxies,
        ),
        request_id: request.extensions().get::<RequestId>().cloned().unwrap_or_else(RequestId::new),
        device,
        user_agent: text("user-agent").to_owned(),
        secure: state.settings.secure_cookies || text("x-forwarded-proto").eq_ignore_ascii_case("https"),
    }
}

/// Who sends a request.
#[derive(Default)]
struct Identity {
    /// None for a guest.
    actor: Option<Actor>,
    /// The requests a minute that the key or the account is limited to, if it has a limit of its own.
    rate_limit: Option<u32>,
    /// The device of a guest, if somebody has signed in there before.
    device: Option<KnownDevice>,
}

async fn identify(state: &GraphqlState, headers: &HeaderMap) -> Result<Identity> {
    if let Some(key) = presented_key(headers) {
        let identity = state.services.keys.identify(&key).await?;
        let (actor, rate_limit) = (Some(identity.actor()?), identity.rate_limit_per_minute);
        return Ok(Identity { actor, rate_limit, device: None });
    }
    let Some(actor) = session_actor(state, headers).await? else {
        return Ok(Identity { device: known_device(state, headers).await?, ..Identity::default() });
    };
    if headers.get(CSRF_HEADER).is_none_or(|value| value.is_empty()) {
        let message = "a request with a session's cookie needs the header X-Gavel-CSRF, with any value";
        return Err(Error::new(Code::Forbidden, message));
    }
    let rate_limit = account::rate_limit(&state.services.db, &actor.account).await?;
    Ok(Identity { actor: Some(actor), rate_limit, device: None })
}

async fn session_actor(state: &GraphqlState, headers: &HeaderMap) -> Result<Option<Actor>> {
    let Some(secret) = session_secret(headers) else { return Ok(None) };
    session::identify(&state.services.db, &secret).await
}

async fn known_device(state: &GraphqlState, headers: &HeaderMap) -> Result<Option<KnownDevice>> {
    let Some(token) = cookie(headers, DEVICE_COOKIE) else { return Ok(None) };
    session::identify_device(&state.services.db, &token).await
}

/// The session's secret in a request's cookie.
pub(super) fn session_secret(headers: &HeaderMap) -> Option<String> {
    cookie(headers, SESSION_COOKIE)
}

fn cookie(headers: &HeaderMap, name: &str) -> Option<String> {
    let lines = headers.get_all(header::COOKIE).into_iter().filter_map(|line| line.to_str().ok());
    let mut cookies = lines.flat_map(Cookie::split_parse).filter_map(std::result::Result::ok);
    cookies.find(|cookie| cookie.name() == name).map(|cookie| cookie.value().to_owned())
}
