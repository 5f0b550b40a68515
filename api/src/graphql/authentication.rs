//! Authentication of GraphQL requests. A request without credentials is a guest's, who may only sign in or up.

use axum::{
    extract::{Request, State},
    http::HeaderMap,
    middleware::Next,
    response::{IntoResponse, Response},
};
use domain::{Result, foundation::actor::Actor, people::session::KnownDevice};
use ports::id::RequestId;

use super::{context::RequestInfo, state::GraphqlState};
use crate::{
    access::within_rate, arrival::WholeBody, client_address::client_network, cookie::device_token,
    error::Failure, rate_limit::RateLimit,
};

/// Puts a [`RequestInfo`] into the request's extensions and receives the body, or refuses the request: 401 for a key
/// that is not valid, 403 for one without the scope `manage` or `read` and for a cookie without its header, 429 over
/// the rate limit.
pub(crate) async fn authenticate(
    State(state): State<GraphqlState>,
    mut request: Request,
    next: Next,
) -> Response {
    let Sender { actor, rate_limits, device } = match identify(&state, request.headers()).await {
        Ok(identity) => identity,
        Err(error) => return Failure(error).into_response(),
    };
    let info = request_info(&state, actor, device, &request);
    let sender = info.caller();
    request.extensions_mut().insert(info);
    let body = WholeBody { max_bytes: state.settings.graphql_body_bytes, or_form: false };
    let work = async {
        match state.access.receive(body, &sender, &[], request).await {
            Ok(request) => next.run(request).await,
            Err(error) => Failure(error).into_response(),
        }
    };
    within_rate(&state.access, &rate_limits, work).await
}

fn request_info(
    state: &GraphqlState,
    actor: Option<Actor>,
    device: Option<KnownDevice>,
    request: &Request,
) -> RequestInfo {
    let headers = request.headers();
    RequestInfo {
        actor,
        network: client_network(request.extensions().get(), headers, &state.settings.trusted_proxies),
        request_id: request.extensions().get::<RequestId>().cloned().unwrap_or_else(RequestId::new),
        device,
        user_agent: header_text(headers, "user-agent").to_owned(),
        secure: state.settings.secure_cookies
            || header_text(headers, "x-forwarded-proto").eq_ignore_ascii_case("https"),
    }
}

fn header_text<'a>(headers: &'a HeaderMap, name: &str) -> &'a str {
    headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

/// Who sends a request.
#[derive(Default)]
struct Sender {
    /// `None` for a guest.
    actor: Option<Actor>,
    /// None for a guest.
    rate_limits: Vec<RateLimit>,
    /// The device of a guest, if somebody has signed in there before.
    device: Option<KnownDevice>,
}

async fn identify(state: &GraphqlState, headers: &HeaderMap) -> Result<Sender> {
    Ok(match state.access.identify(headers).await? {
        Some(identity) => {
            let rate_limits = state.access.graphql_rate_limits(&identity);
            Sender { actor: Some(identity.actor()?), rate_limits, device: None }
        }
        None => Sender { device: known_device(state, headers).await?, ..Sender::default() },
    })
}

async fn known_device(state: &GraphqlState, headers: &HeaderMap) -> Result<Option<KnownDevice>> {
    let Some(token) = device_token(headers) else { return Ok(None) };
    state.services.sessions.identify_device(&token).await
}
