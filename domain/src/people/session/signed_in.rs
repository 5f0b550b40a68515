//! What a browser gets when somebody signs in.

use crate::{
    foundation::actor::{Actor, Identity},
    people::token::Token,
};

/// A new session.
#[derive(Debug)]
pub struct SignedIn {
    pub actor: Actor,
    /// The secret for the browser's cookie.
    pub secret: Token,
    /// The token by which the browser is known when its user signs in again.
    pub device: String,
}

impl SignedIn {
    /// `session_…`
    pub(super) fn session(&self) -> &str {
        match &self.actor.identity {
            Identity::User(_, session) => session.as_str(),
            Identity::Key(_) => "",
        }
    }
}
