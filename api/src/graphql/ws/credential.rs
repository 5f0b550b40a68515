//! Who opened a WebSocket, and whether they still may have it.

use std::time::Duration;

use axum::http::HeaderMap;
use domain::{Code, Error, Result, actor::Actor, session};
use serde_json::{Map, Value};

use crate::{app::App, graphql::context};

/// How somebody has proved who they are. Kept to be checked again.
#[derive(Clone)]
pub(super) enum Credential {
    /// An API key.
    Key(String),
    /// The secret of a session.
    Session(String),
}

impl Credential {
    /// The session of a request's cookie, when there is one.
    pub(super) async fn from_cookie(app: &App, headers: &HeaderMap) -> Result<Option<Self>> {
        let Some(secret) = context::secret(headers) else { return Ok(None) };
        let known = session::identify(&app.ctx.db, &secret).await?.is_some();
        Ok(known.then_some(Credential::Session(secret)))
    }

    /// The API key that a client sends once it is connected: `apiKey`, or `authorization` as in HTTP.
    pub(super) fn from_payload(payload: &Map<String, Value>) -> Option<Self> {
        let text = |name: &str| payload.iter().find(|(key, _)| key.eq_ignore_ascii_case(name))?.1.as_str();
        let bearer = || {
            let (scheme, key) = text("authorization")?.split_once(' ')?;
            scheme.eq_ignore_ascii_case("bearer").then_some(key)
        };
        text("apiKey").or_else(bearer).map(|key| Credential::Key(key.trim().to_owned()))
    }

    /// Whom it stands for now.
    ///
    /// # Errors
    /// `UNAUTHORIZED` and `FORBIDDEN` when it is no longer, or never was, good for anything.
    pub(super) async fn actor(&self, app: &App) -> Result<Actor> {
        match self {
            Credential::Key(key) => Actor::with_key(&app.ctx.keys.identify(key).await?),
            Credential::Session(secret) => {
                let over = || Error::new(Code::Unauthorized, "the session is over");
                session::identify(&app.ctx.db, secret).await?.ok_or_else(over)
            }
        }
    }

    /// How often to look again. With the 3 s that a key's state may be remembered, a revoked one is out within 5 s; a
    /// session is read anew each time.
    pub(super) fn recheck_interval(&self) -> Duration {
        match self {
            Credential::Key(_) => Duration::from_secs(1),
            Credential::Session(_) => Duration::from_secs(3),
        }
    }
}
