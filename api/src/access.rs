//! Access control: verifies who sent a request, what they may do and their rate limit, before the body is read.

use std::sync::Arc;

use axum::{
    extract::{Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use domain::{
    Code, Error, Result,
    foundation::{actor::Actor, database::Database},
    money::billing::FinishFlag,
    people::api_key::{KeyRing, Scope},
};

use crate::{
    cookie::session_secret,
    error::Failure,
    identity::{self, Identity, person_limit},
    rate_limit::{RateLimit, RateLimitDecision, RateLimitPolicy, RateLimitStatus, RateLimiter},
    slots::AccountSlots,
};

/// Verifies API keys and sessions, and limits rates. Cheap to clone.
#[derive(Clone)]
pub(crate) struct AccessControl {
    keys: Arc<KeyRing>,
    db: Database,
    limiter: Arc<RateLimiter>,
    /// Requests a minute of an account without a limit of its own; 0 is no limit.
    default_limit: u32,
    /// Requests of each account in flight.
    in_flight: AccountSlots,
}

impl AccessControl {
    /// `in_flight`: concurrent requests in all; one account may have half of them.
    pub(crate) fn new(
        keys: Arc<KeyRing>,
        db: Database,
        limiter: RateLimiter,
        default_limit: u32,
        in_flight: usize,
    ) -> Self {
        let in_flight = AccountSlots::new("requests", in_flight, in_flight.div_ceil(2));
        Self { keys, db, limiter: Arc::new(limiter), default_limit, in_flight }
    }

    /// Who sent a request with these headers; `None` without credentials, or with those of a session that is over.
    ///
    /// # Errors
    /// Those of [`identity::identify`].
    pub(crate) async fn identify(&self, headers: &HeaderMap) -> Result<Option<Identity>> {
        identity::identify(&self.keys, &self.db, headers).await
    }

    /// The limits that a GraphQL request counts towards.
    pub(crate) fn graphql_rate_limits(&self, identity: &Identity) -> Vec<RateLimit> {
        identity.graphql_rate_limits(self.default_limit)
    }

    /// Counts a request under way for a person, with the limit of their account.
    ///
    /// # Errors
    /// `RATE_LIMITED` over the limit.
    pub(crate) async fn count_person(&self, actor: &Actor, limit: Option<u32>) -> Result<()> {
        let limit = person_limit(actor, limit, self.default_limit);
        match self.limiter.check(limit.as_slice()).await {
            RateLimitDecision::Limited(status) => Err(over_limit(status)),
            RateLimitDecision::Unlimited | RateLimitDecision::Allowed(_) => Ok(()),
        }
    }
}

/// What a route requires of who sends a request.
#[derive(Clone)]
pub(crate) struct Guard {
    pub(crate) access: AccessControl,
    /// An API key needs one of these, and a person a role that may do one of them; not empty.
    pub(crate) scopes: &'static [Scope],
}

/// Passes a request on with its [`Identity`] in the extensions, or refuses it: 401, 403, 503 for an account with too
/// many in flight, 429, in this order.
pub(crate) async fn authorize(State(guard): State<Guard>, mut request: Request, next: Next) -> Response {
    let identity = match verify(&guard, request.headers()).await {
        Ok(identity) => identity,
        Err(error) => return Failure(error).into_response(),
    };
    if let Some(finish) = request.extensions().get::<FinishFlag>() {
        let Some(permit) = guard.access.in_flight.try_acquire(identity.account()) else {
            let message = "too many requests of this account at once; try again shortly";
            return Failure(Error::new(Code::Overloaded, message)).into_response();
        };
        finish.hold_of_account(permit);
    }
    request.extensions_mut().insert(identity.clone());
    let limits = identity.rate_limits(guard.access.default_limit);
    within_rate(&guard.access, &limits, next.run(request)).await
}

/// Runs `work` within the limits, or answers 429.
pub(crate) async fn within_rate(
    access: &AccessControl,
    limits: &[RateLimit],
    work: impl Future<Output = Response>,
) -> Response {
    let (mut response, status) = match access.limiter.check(limits).await {
        RateLimitDecision::Unlimited => return work.await,
        RateLimitDecision::Allowed(status) => (work.await, status),
        RateLimitDecision::Limited(status) => {
            let mut response = Failure(over_limit(status)).into_response();
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(status.reset_s));
            (response, status)
        }
    };
    insert_rate_limit_headers(response.headers_mut(), limits, status);
    response
}

fn over_limit(status: RateLimitStatus) -> Error {
    let RateLimitStatus { policy, per_minute, reset_s, .. } = status;
    let whose = match policy {
        RateLimitPolicy::Account => "this account",
        RateLimitPolicy::Person => "this person",
        RateLimitPolicy::Key => "this key",
        RateLimitPolicy::Maker => "the key that made this key",
    };
    let message = format!("over {per_minute} requests a minute of {whose}; try again in {reset_s} s");
    Error::new(Code::RateLimited, message)
}

async fn verify(guard: &Guard, headers: &HeaderMap) -> Result<Identity> {
    let identity = guard.access.identify(headers).await?.ok_or_else(|| no_identity(headers))?;
    identity.require_any(guard.scopes)?;
    Ok(identity)
}

fn no_identity(headers: &HeaderMap) -> Error {
    let message = match session_secret(headers) {
        Some(_) => "the session is over; sign in again, or send an API key",
        None => "an API key is needed: `Authorization: Bearer <key>`, `x-api-key` or `api-key`",
    };
    Error::new(Code::Unauthorized, message)
}

/// The headers of draft-ietf-httpapi-ratelimit-headers: all limits, and the state of the one that will be reached
/// first.
fn insert_rate_limit_headers(headers: &mut HeaderMap, limits: &[RateLimit], status: RateLimitStatus) {
    let policies =
        limits.iter().map(|limit| format!("\"{}\";q={};w=60", limit.policy.as_ref(), limit.per_minute));
    let pairs = [
        ("ratelimit-policy", policies.collect::<Vec<_>>().join(", ")),
        ("ratelimit", format!("\"{}\";r={};t={}", status.policy.as_ref(), status.remaining, status.reset_s)),
    ];
    for (name, value) in pairs {
        if let Ok(value) = HeaderValue::from_str(&value) {
            headers.insert(HeaderName::from_static(name), value);
        }
    }
}
