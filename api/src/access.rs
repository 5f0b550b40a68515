//! Access control: verifies a request's API key, its scope and its rate limit before the body is read.

use std::sync::Arc;

use axum::{
    extract::{Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use domain::{
    Code, Error, Result,
    api_key::{KeyRing, Scope, VerifiedKey},
    billing::FinishFlag,
};

use crate::{
    error::Failure,
    rate_limit::{RateLimitDecision, RateLimitStatus, RateLimiter},
    slots::AccountSlots,
};

const API_KEY_HEADERS: [&str; 2] = ["x-api-key", "api-key"];

/// Verifies API keys and limits rates. Cheap to clone.
#[derive(Clone)]
pub(crate) struct AccessControl {
    keys: Arc<KeyRing>,
    limiter: Arc<RateLimiter>,
    /// Requests a minute where neither a key nor its account has a limit; 0 is no limit.
    default_limit: u32,
    /// Requests of each account in flight.
    in_flight: AccountSlots,
}

impl AccessControl {
    /// `in_flight`: concurrent requests in all; one account may have half of them.
    pub(crate) fn new(
        keys: Arc<KeyRing>,
        limiter: RateLimiter,
        default_limit: u32,
        in_flight: usize,
    ) -> Self {
        let in_flight = AccountSlots::new("requests", in_flight, in_flight.div_ceil(2));
        Self { keys, limiter: Arc::new(limiter), default_limit, in_flight }
    }

    /// Counts a request that is under way, with `subject` and `limit` as in [`within_rate`].
    ///
    /// # Errors
    /// `RATE_LIMITED` over the limit.
    pub(crate) async fn count(&self, subject: &str, limit: Option<u32>) -> Result<()> {
        let limit = limit.unwrap_or(self.default_limit);
        match self.limiter.check(subject, limit).await {
            RateLimitDecision::Limited(status) => Err(over_limit(limit, status)),
            RateLimitDecision::Unlimited | RateLimitDecision::Allowed(_) => Ok(()),
        }
    }
}

/// What a route requires of an API key.
#[derive(Clone)]
pub(crate) struct Guard {
    pub(crate) access: AccessControl,
    /// Any of these is enough; not empty.
    pub(crate) scopes: &'static [Scope],
}

/// Lets a request through with its [`VerifiedKey`] in the extensions, or refuses it: 401, 403, 503 for an account with too many
/// in flight, 429, in this order.
pub(crate) async fn authorize(State(guard): State<Guard>, mut request: Request, next: Next) -> Response {
    let key = match verify(&guard, request.headers()).await {
        Ok(key) => key,
        Err(error) => return Failure(error).into_response(),
    };
    if let Some(finish) = request.extensions().get::<FinishFlag>() {
        let Some(permit) = guard.access.in_flight.try_acquire(&key.account) else {
            let message = "too many requests of this account at once; try again shortly";
            return Failure(Error::new(Code::Overloaded, message)).into_response();
        };
        finish.hold_of_account(permit);
    }
    request.extensions_mut().insert(key.clone());
    let limit = key.rate_limit_per_minute;
    within_rate(&guard.access, key.id.as_str(), limit, next.run(request)).await
}

/// Runs `work` within the rate limit, or answers 429. `subject`: the id of a key or of a person. `limit`: their own
/// or their account's; none for the default.
pub(crate) async fn within_rate(
    access: &AccessControl,
    subject: &str,
    limit: Option<u32>,
    work: impl Future<Output = Response>,
) -> Response {
    let limit = limit.unwrap_or(access.default_limit);
    let (mut response, status) = match access.limiter.check(subject, limit).await {
        RateLimitDecision::Unlimited => return work.await,
        RateLimitDecision::Allowed(status) => (work.await, status),
        RateLimitDecision::Limited(status) => {
            let mut response = Failure(over_limit(limit, status)).into_response();
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(status.reset_s));
            (response, status)
        }
    };
    insert_rate_limit_headers(response.headers_mut(), limit, status);
    response
}

fn over_limit(limit: u32, status: RateLimitStatus) -> Error {
    let message = format!("over {limit} requests a minute; try again in {} s", status.reset_s);
    Error::new(Code::RateLimited, message)
}

async fn verify(guard: &Guard, headers: &HeaderMap) -> Result<Arc<VerifiedKey>> {
    let presented = presented_key(headers).ok_or_else(|| {
        let message = "an API key is needed: `Authorization: Bearer <key>`, `x-api-key` or `api-key`";
        Error::new(Code::Unauthorized, message)
    })?;
    let key = guard.access.keys.identify(&presented).await?;
    let least = guard.scopes.first().filter(|_| !guard.scopes.iter().any(|scope| key.scopes.contains(scope)));
    least.map_or(Ok(()), |least| key.require(*least))?;
    Ok(key)
}

/// The API key that takes precedence: `Authorization` when its scheme is Bearer, then `x-api-key`, then `api-key`.
/// Other schemes, which a proxy may add, are ignored. A key that is empty or not text is a wrong key, not a missing
/// one.
pub(crate) fn presented_key(headers: &HeaderMap) -> Option<String> {
    let bearer = headers.get(header::AUTHORIZATION).and_then(|value| {
        // On the wire an empty key loses the space before it, too.
        let mut parts = value.as_bytes().splitn(2, |byte| *byte == b' ');
        parts.next()?.eq_ignore_ascii_case(b"bearer").then(|| parts.next().unwrap_or_default())
    });
    let mut keys = API_KEY_HEADERS.iter().filter_map(|name| headers.get(*name)).map(HeaderValue::as_bytes);
    let key = bearer.or_else(|| keys.next())?;
    Some(String::from_utf8_lossy(key).trim().to_owned())
}

/// The headers of draft-ietf-httpapi-ratelimit-headers.
fn insert_rate_limit_headers(headers: &mut HeaderMap, limit: u32, status: RateLimitStatus) {
    let pairs = [
        ("ratelimit-policy", format!("\"default\";q={limit};w=60")),
        ("ratelimit", format!("\"default\";r={};t={}", status.remaining, status.reset_s)),
    ];
    for (name, value) in pairs {
        if let Ok(value) = HeaderValue::from_str(&value) {
            headers.insert(HeaderName::from_static(name), value);
        }
    }
}

#[cfg(test)]
mod tests {
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
