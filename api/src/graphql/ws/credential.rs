//! The credential that a WebSocket was opened with, kept so that it can be checked again.

use std::time::Duration;

use axum::http::HeaderMap;
use domain::{Code, Error, Result, foundation::actor::Actor};
use serde_json::{Map, Value};

use crate::{cookie::session_secret, graphql::state::GraphqlState};

/// A proof of identity.
#[derive(Clone)]
pub(super) enum Credential {
    /// An API key.
    Key(String),
    /// A session's secret.
    Session(String),
}

impl Credential {
    /// The session of a request's cookie; none without a cookie, and when the session is over.
    pub(super) async fn from_cookie(state: &GraphqlState, headers: &HeaderMap) -> Result<Option<Self>> {
        let Some(secret) = session_secret(headers) else { return Ok(None) };
        let known = state.services.sessions.identify(&secret).await?.is_some();
        Ok(known.then_some(Credential::Session(secret)))
    }

    /// The API key in the payload of `connection_init`: `apiKey`, or `authorization` as in HTTP.
    pub(super) fn from_payload(payload: &Map<String, Value>) -> Option<Self> {
        let key = text(payload, "apiKey").or_else(|| bearer(text(payload, "authorization")?))?;
        Some(Credential::Key(key.trim().to_owned()))
    }

    /// The actor that the credential stands for now.
    ///
    /// # Errors
    /// `UNAUTHORIZED` when the credential is not valid, or no longer; `FORBIDDEN` for a key without the scope `read` or
    /// `manage`.
    pub(super) async fn actor(&self, state: &GraphqlState) -> Result<Actor> {
        match self {
            Credential::Key(key) => state.services.keys.identify(key).await?.actor(),
            Credential::Session(secret) => {
                let actor = state.services.sessions.identify(secret).await?;
                actor.ok_or_else(|| Error::new(Code::Unauthorized, "the session is over"))
            }
        }
    }

    /// How often the credential is checked again. A key's state is cached for 3 s, so the connection of a revoked key
    /// is closed within 5 s; a session's state is read each time.
    pub(super) fn recheck_interval(&self) -> Duration {
        match self {
            Credential::Key(_) => Duration::from_secs(1),
            Credential::Session(_) => Duration::from_secs(3),
        }
    }
}

/// A text of the payload; its name may be in any case.
fn text<'a>(payload: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    payload.iter().find(|(key, _)| key.eq_ignore_ascii_case(name))?.1.as_str()
}

/// The key in the value of an `Authorization` header.
fn bearer(authorization: &str) -> Option<&str> {
    let (scheme, key) = authorization.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(key)
}
