//! The upgrade from an HTTP request to a WebSocket: which pages may open one, and how many may be open.

use axum::{
    Extension,
    extract::{State, WebSocketUpgrade, ws::rejection::WebSocketUpgradeRejection},
    http::{HeaderMap, HeaderName, header},
    response::{IntoResponse, Response},
};
use domain::{Code, Error, Result};
use ports::id::RequestId;

use super::{connection, credential::Credential};
use crate::{
    client_address::{Peer, client_network},
    error::Failure,
    graphql::state::GraphqlState,
};

/// The one subprotocol that is spoken.
const SUBPROTOCOL: &str = "graphql-transport-ws";
/// Bytes that a message from a client may have.
const MAX_MESSAGE_BYTES: usize = 262_144;

/// Opens a WebSocket.
pub(crate) async fn upgrade(
    State(state): State<GraphqlState>,
    Extension(request_id): Extension<RequestId>,
    peer: Option<Extension<Peer>>,
    headers: HeaderMap,
    upgrade: std::result::Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> std::result::Result<Response, Failure> {
    let upgrade = upgrade.map_err(|error| {
        Error::new(Code::MalformedBody, format!("this path is for WebSockets: {}", error.body_text()))
    })?;
    check_origin(&headers, &state.settings.allowed_origins)?;
    check_subprotocol(&headers)?;
    let permit = state.websocket_permits.clone().try_acquire_owned();
    let permit =
        permit.map_err(|_| Error::new(Code::Overloaded, "too many WebSockets are open; try again later"))?;
    let credential = Credential::from_cookie(&state, &headers).await?;
    let upgrade = upgrade
        .protocols([SUBPROTOCOL])
        .max_message_size(MAX_MESSAGE_BYTES)
        .max_frame_size(MAX_MESSAGE_BYTES);
    let peer = peer.as_ref().map(|Extension(peer)| peer);
    let network = client_network(peer, &headers, &state.settings.trusted_proxies);
    let upgraded = upgrade.on_upgrade(move |socket| async move {
        tracing::debug!(%request_id, "opened a WebSocket");
        connection::serve(state, socket, network, credential).await;
        tracing::debug!(%request_id, "closed a WebSocket");
        drop(permit);
    });
    Ok(upgraded.into_response())
}

/// Refuses pages of origins other than our own and the allowed ones: browsers send the session's cookie for pages of
/// any origin. Clients that are not browsers send no origin, and pass.
fn check_origin(headers: &HeaderMap, allowed: &[String]) -> Result<()> {
    let Some(origin) = lower_case(headers, header::ORIGIN) else { return Ok(()) };
    let host = lower_case(headers, header::HOST);
    let own = origin.split_once("://").is_some_and(|(_, of)| Some(of) == host.as_deref());
    if own || allowed.contains(&origin) {
        return Ok(());
    }
    Err(Error::new(
        Code::Forbidden,
        "pages of this origin may not connect; the setting allowed_origins names those that may",
    ))
}

fn lower_case(headers: &HeaderMap, name: HeaderName) -> Option<String> {
    headers.get(name).map(|value| value.to_str().unwrap_or("null").to_ascii_lowercase())
}

fn check_subprotocol(headers: &HeaderMap) -> Result<()> {
    let offered =
        headers.get_all(header::SEC_WEBSOCKET_PROTOCOL).into_iter().filter_map(|list| list.to_str().ok());
    if offered.flat_map(|list| list.split(',')).any(|protocol| protocol.trim() == SUBPROTOCOL) {
        return Ok(());
    }
    let message = format!("the header Sec-WebSocket-Protocol must offer {SUBPROTOCOL}");
    Err(Error::new(Code::MalformedBody, message))
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        pairs
            .iter()
            .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)))
            .collect()
    }

    #[test]
    fn pages_of_this_host_and_of_allowed_origins_may_connect() {
        let allowed = ["https://app.example.com".to_owned()];
        for (origin, fits) in [
            (None, true),
            (Some("https://gavel.example.com:8443"), true),
            (Some("http://GAVEL.example.com:8443"), true),
            (Some("https://app.example.com"), true),
            (Some("http://app.example.com"), false),
            (Some("https://gavel.example.com"), false),
            (Some("https://evil.example.com"), false),
            (Some("https://gavel.example.com:8443.evil.example.com"), false),
            (Some("null"), false),
            (Some(""), false),
        ] {
            let mut pairs = vec![("host", "gavel.example.com:8443")];
            pairs.extend(origin.map(|origin| ("origin", origin)));
            assert_eq!(check_origin(&headers(&pairs), &allowed).is_ok(), fits, "{origin:?}");
        }
        assert!(check_origin(&headers(&[("origin", "null")]), &[]).is_err());
    }

    #[test]
    fn one_subprotocol_is_spoken() {
        for (offered, fits) in [
            ("graphql-transport-ws", true),
            ("graphql-ws, graphql-transport-ws", true),
            ("graphql-ws", false),
            ("", false),
        ] {
            assert_eq!(
                check_subprotocol(&headers(&[("sec-websocket-protocol", offered)])).is_ok(),
                fits,
                "{offered}"
            );
        }
        assert!(check_subprotocol(&headers(&[])).is_err());
    }
}
