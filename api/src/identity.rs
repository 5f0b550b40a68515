//! Who sent a request: a program, by an API key, or a person, by a session's cookie together with a header against
//! cross-site requests. With both credentials, the API key counts.

use std::sync::Arc;

use axum::http::{HeaderMap, HeaderValue, header};
use domain::{
    Code, Error, Result,
    batch::{BatchAccess, Submitter},
    foundation::{
        actor::{self, Actor, Role},
        allowed_backends::AllowedBackends,
        database::Database,
    },
    money::credits::Payer,
    people::{
        account::Accounts,
        api_key::{KeyRing, Scope, VerifiedKey},
        session::Sessions,
    },
};
use ports::id::{AccountId, PolicyId};

use crate::{cookie::session_secret, rate_limit::RateLimit};

const API_KEY_HEADERS: [&str; 2] = ["x-api-key", "api-key"];
/// A request with a session's cookie needs this header, which a page of another origin cannot send unasked, unless the
/// browser says that a page of this origin sent it.
pub(crate) const CSRF_HEADER: &str = "x-gavel-csrf";

/// Who sent a request.
#[derive(Clone)]
pub(crate) enum Identity {
    /// A program with an API key.
    Key(Arc<VerifiedKey>),
    /// A person with a session.
    Person(Person),
}

/// A person who is signed in.
#[derive(Clone)]
pub(crate) struct Person {
    actor: Actor,
    /// Requests a minute of the account; `None` for the deployment's default, 0 for no limit.
    rate_limit: Option<u32>,
    /// The backends that the account allows.
    backends: AllowedBackends,
}

/// Who may send a request to a route.
#[derive(Clone, Copy)]
pub(crate) struct Rights {
    /// An API key needs one of these, and a person a role that may do one of them; not empty.
    pub(crate) scopes: &'static [Scope],
    /// Whether moderators may, beside editors.
    pub(crate) moderators: bool,
}

impl Identity {
    /// The account that is charged.
    pub(crate) fn account(&self) -> &AccountId {
        match self {
            Identity::Key(key) => &key.account,
            Identity::Person(person) => &person.actor.account,
        }
    }

    /// The limits that its requests count towards. `default`: requests a minute of an account without a limit of its
    /// own, 0 for no limit.
    pub(crate) fn rate_limits(&self, default: u32) -> Vec<RateLimit> {
        let of_account = match self {
            Identity::Key(key) => key.account_rate_limit,
            Identity::Person(person) => person.rate_limit,
        };
        let of_account = of_account.unwrap_or(default);
        let of_account = (of_account > 0).then(|| RateLimit::of_account(self.account(), of_account));
        let own: Vec<RateLimit> = match self {
            Identity::Key(key) => key.rate_limits.iter().map(|limit| RateLimit::of_key(key, limit)).collect(),
            Identity::Person(_) => self.graphql_rate_limits(default),
        };
        own.into_iter().chain(of_account).collect()
    }

    /// The same over GraphQL. There a person has a limit to themselves, so that a program that sends too much does not
    /// keep its owner from stopping it.
    pub(crate) fn graphql_rate_limits(&self, default: u32) -> Vec<RateLimit> {
        match self {
            Identity::Key(_) => self.rate_limits(default),
            Identity::Person(Person { actor, rate_limit, .. }) => {
                person_limit(actor, *rate_limit, default).into_iter().collect()
            }
        }
    }

    /// The moderation policy for a key's requests that name none.
    pub(crate) fn default_policy(&self) -> Option<PolicyId> {
        match self {
            Identity::Key(key) => key.moderation_policy.clone(),
            Identity::Person(_) => None,
        }
    }

    /// Who spends the credits.
    pub(crate) fn payer(&self) -> Payer {
        match self {
            Identity::Key(key) => Payer::Key(key.id.clone()),
            Identity::Person(person) => Payer::from(&person.actor),
        }
    }

    /// The backends that may be asked.
    pub(crate) fn backends(&self) -> AllowedBackends {
        match self {
            Identity::Key(key) => key.backends.clone(),
            Identity::Person(person) => person.backends.clone(),
        }
    }

    /// The actor that manages the account.
    ///
    /// # Errors
    /// `FORBIDDEN` for a key with neither of the scopes `manage` and `read`.
    pub(crate) fn actor(&self) -> Result<Actor> {
        match self {
            Identity::Key(key) => key.actor(),
            Identity::Person(person) => Ok(person.actor.clone()),
        }
    }

    /// The actor that gives feedback, for which a key needs no other right.
    pub(crate) fn reviewer(&self) -> Actor {
        match self {
            Identity::Key(key) => Actor {
                account: key.account.clone(),
                identity: actor::Identity::Key(key.id.clone()),
                role: Role::Analyst,
                operator: false,
            },
            Identity::Person(person) => person.actor.clone(),
        }
    }

    /// Requires one of the scopes from a key, and from a person a role that may do one of them: an analyst reads, an
    /// editor also changes things and spends credits.
    ///
    /// # Errors
    /// `FORBIDDEN`, naming the scopes or the role.
    pub(crate) fn require_any(&self, Rights { scopes, moderators }: Rights) -> Result<()> {
        match self {
            Identity::Key(key) => key.require_any(scopes),
            Identity::Person(person) if scopes.contains(&Scope::Read) => person.actor.require(Role::Analyst),
            Identity::Person(person) if moderators => person.actor.require_moderator(),
            Identity::Person(person) => person.actor.require(Role::Editor),
        }
    }

    /// Who submits a batch.
    ///
    /// # Errors
    /// `FORBIDDEN` for an analyst.
    pub(crate) async fn submitter(&self, db: &Database) -> Result<Submitter> {
        match self {
            Identity::Key(key) => Ok(Submitter::key(key)),
            Identity::Person(person) => Submitter::actor(db, &person.actor).await,
        }
    }

    /// The batches that may be seen.
    pub(crate) fn readable_batches(&self) -> BatchAccess {
        match self {
            Identity::Key(key) => BatchAccess::read(key),
            Identity::Person(person) => BatchAccess::of(&person.actor),
        }
    }

    /// The batches that may be cancelled.
    ///
    /// # Errors
    /// `FORBIDDEN` for an analyst.
    pub(crate) fn cancellable_batches(&self) -> Result<BatchAccess> {
        match self {
            Identity::Key(key) => Ok(BatchAccess::cancel(key)),
            Identity::Person(person) => {
                person.actor.require(Role::Editor)?;
                Ok(BatchAccess::of(&person.actor))
            }
        }
    }
}

/// The limit of a person, if there is one. `limit` is the account's, as of [`Person`].
pub(crate) fn person_limit(actor: &Actor, limit: Option<u32>, default: u32) -> Option<RateLimit> {
    let per_minute = limit.unwrap_or(default);
    (per_minute > 0).then(|| RateLimit::of_person(actor, per_minute))
}

/// Who sent a request with these headers; `None` without credentials, or with those of a session that is over.
///
/// # Errors
/// `UNAUTHORIZED` for a key that is not valid; `FORBIDDEN` for a session's cookie without its header, unless a page of
/// this origin sent it.
pub(crate) async fn identify(keys: &KeyRing, db: &Database, headers: &HeaderMap) -> Result<Option<Identity>> {
    if let Some(key) = presented_key(headers) {
        return Ok(Some(Identity::Key(keys.identify(&key).await?)));
    }
    let Some(secret) = session_secret(headers) else { return Ok(None) };
    let Some(actor) = Sessions::new(db.clone()).identify(&secret).await? else { return Ok(None) };
    if headers.get(CSRF_HEADER).is_none_or(HeaderValue::is_empty) && !is_of_this_origin(headers) {
        let message = "a request with a session's cookie needs the header X-Gavel-CSRF, with any value";
        return Err(Error::new(Code::Forbidden, message));
    }
    let limits = Accounts::new(db.clone()).limits(&actor.account).await?;
    let person = Person { actor, rate_limit: limits.rate_limit_per_minute, backends: limits.backends };
    Ok(Some(Identity::Person(person)))
}

/// Whether a browser says that a page of this origin sent the request. Pages cannot set this header
/// (<https://www.w3.org/TR/fetch-metadata/>).
fn is_of_this_origin(headers: &HeaderMap) -> bool {
    headers.get("sec-fetch-site").is_some_and(|site| site == "same-origin")
}

/// The API key that takes precedence: `Authorization` when its scheme is Bearer, then `x-api-key`, then `api-key`.
/// Other schemes, which a proxy may add, are ignored. An empty key, or one that is not text, counts as wrong, not as
/// missing.
fn presented_key(headers: &HeaderMap) -> Option<String> {
    let bearer = headers.get(header::AUTHORIZATION).and_then(|value| {
        // An empty key loses the space before it on the wire.
        let mut parts = value.as_bytes().splitn(2, |byte| *byte == b' ');
        parts.next()?.eq_ignore_ascii_case(b"bearer").then(|| parts.next().unwrap_or_default())
    });
    let mut keys = API_KEY_HEADERS.iter().filter_map(|name| headers.get(*name)).map(HeaderValue::as_bytes);
    let key = bearer.or_else(|| keys.next())?;
    Some(String::from_utf8_lossy(key).trim().to_owned())
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderName;

    use super::*;

    fn key(pairs: &[(&'static str, &str)]) -> Option<String> {
        let headers = pairs.iter().map(|(name, value)| {
            (HeaderName::from_static(name), HeaderValue::from_str(value).expect("a header value"))
        });
        presented_key(&headers.collect())
    }

    #[test]
    fn authorization_wins_when_it_is_bearer() {
        let others = [("x-api-key", "x"), ("api-key", "a")];
        assert_eq!(key(&[("authorization", "bEaReR b"), others[0], others[1]]).as_deref(), Some("b"));
        assert_eq!(key(&[("authorization", "Basic dTpw"), others[1], others[0]]).as_deref(), Some("x"));
        assert_eq!(key(&[others[1]]).as_deref(), Some("a"));
        assert_eq!(key(&[("authorization", "Bearer "), others[0]]).as_deref(), Some(""));
        assert_eq!(key(&[("authorization", "Bearer"), others[0]]).as_deref(), Some(""));
        assert_eq!(key(&[("authorization", "Bearers b"), others[0]]).as_deref(), Some("x"));
        assert_eq!(key(&[("authorization", "Basic dTpw")]), None);
    }
}
