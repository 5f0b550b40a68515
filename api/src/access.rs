//! Access control: verifies who sent a request, what they may do and their rate limit, before the body is received.

use std::{sync::Arc, time::Duration};

use axum::{
    extract::{Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use domain::{
    Code, Error, Result,
    foundation::{actor::Actor, database::Database, plural::counted},
    money::{
        billing::{Billing, FinishFlag},
        pricing::Operation,
    },
    people::api_key::KeyRing,
    services::Services,
};
use ports::id::AccountId;
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::timeout,
};

use crate::{
    arrival::{ArrivingBodies, WholeBody, is_paid_before_body},
    caller::Caller,
    cookie::session_secret,
    deadline::Deadline,
    error::Failure,
    identity::{self, Identity, Rights, person_limit},
    rate_limit::{RateLimit, RateLimitDecision, RateLimitPolicy, RateLimitStatus, RateLimiter},
    sender::Sender,
    settings::ApiSettings,
    slots::AccountSlots,
};

/// The longest that a request waits for a permit among the requests in flight.
const PERMIT_TIMEOUT: Duration = Duration::from_millis(500);

/// Verifies API keys and sessions, limits rates, and receives bodies. Cheap to clone.
#[derive(Clone)]
pub(crate) struct AccessControl {
    keys: Arc<KeyRing>,
    db: Database,
    limiter: Arc<RateLimiter>,
    /// Requests a minute of an account without a limit of its own; 0 is no limit.
    default_limit: u32,
    /// Requests of each account in flight.
    in_flight: AccountSlots,
    billing: Arc<Billing>,
    bodies: ArrivingBodies,
}

impl AccessControl {
    /// One account may have half of the concurrent requests.
    pub(crate) fn new(services: &Services, limiter: RateLimiter, settings: &ApiSettings) -> Self {
        let in_flight = settings.requests_in_flight;
        Self {
            keys: services.keys.clone(),
            db: services.db.clone(),
            limiter: Arc::new(limiter),
            default_limit: settings.rate_limit_per_minute,
            in_flight: AccountSlots::new("requests", in_flight, in_flight.div_ceil(2)),
            billing: services.billing.clone(),
            bodies: ArrivingBodies::new(settings.arriving_bytes),
        }
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

    /// Receives the body of a request, if it has one. Meanwhile its deadline is suspended, and it holds no permit among
    /// the requests in flight. `charged`: operations, of which it costs at least the price of the cheapest; none if it
    /// is free.
    ///
    /// # Errors
    /// Those of [`WholeBody::is_expected`]; `INSUFFICIENT_CREDITS`, before a large body is received; those of
    /// [`ArrivingBodies::receive`]; `OVERLOADED` when there is no permit for the request then.
    pub(crate) async fn receive(
        &self,
        body: WholeBody,
        sender: &Caller,
        charged: &[Operation],
        request: Request,
    ) -> Result<Request> {
        if !body.is_expected(&request)? {
            return Ok(request);
        }
        if let Caller::Account(account) = sender
            && is_paid_before_body(&request)
        {
            self.billing.require_cheapest(account, charged).await?;
        }
        let finish = request.extensions().get::<FinishFlag>().cloned().unwrap_or_default();
        let deadline = request.extensions().get::<Deadline>().cloned();
        let permits = finish.give_back();
        if let Some(deadline) = &deadline {
            deadline.suspend();
        }
        let request = self.bodies.receive(body, sender, request).await?;
        if let Some(deadline) = &deadline {
            deadline.restart();
        }
        if let Some(permits) = permits {
            finish.hold(in_flight_permit(permits).await?);
        }
        Ok(request)
    }
}

/// Takes a permit among the requests in flight. It waits a little for one, since each of a burst of requests holds one
/// until its body is awaited.
///
/// # Errors
/// `OVERLOADED` when none was free within [`PERMIT_TIMEOUT`].
pub(crate) async fn in_flight_permit(permits: Arc<Semaphore>) -> Result<OwnedSemaphorePermit> {
    match timeout(PERMIT_TIMEOUT, permits.acquire_owned()).await {
        Ok(Ok(permit)) => Ok(permit),
        _ => Err(Error::new(Code::Overloaded, "too much work at once; try again shortly")),
    }
}

/// What a route requires of who sends a request.
#[derive(Clone)]
pub(crate) struct Guard {
    pub(crate) access: AccessControl,
    pub(crate) rights: Rights,
    /// The body to receive before the request is passed on.
    pub(crate) body: Option<WholeBody>,
    /// Operations, of which a successful request costs at least the price of the cheapest; none if it is free.
    pub(crate) charged: &'static [Operation],
}

/// Passes a request on with its [`Identity`] in the extensions and its body received, or refuses it: 401, 403, 429, 413
/// or 402 when that is known without the body, the errors of the body, 503 for too many requests in flight, in this
/// order.
pub(crate) async fn authorize(State(guard): State<Guard>, mut request: Request, next: Next) -> Response {
    let identity = match verify(&guard, request.headers()).await {
        Ok(identity) => identity,
        Err(error) => return Failure(error).into_response(),
    };
    let mut response = match identity.require_any(guard.rights) {
        Ok(()) => {
            request.extensions_mut().insert(identity.clone());
            let limits = identity.rate_limits(guard.access.default_limit);
            within_rate(&guard.access, &limits, answer(&guard, &identity, request, next)).await
        }
        Err(error) => Failure(error).into_response(),
    };
    if !response.status().is_success() {
        let sender = Sender { account: identity.account().clone(), payer: identity.payer() };
        response.extensions_mut().insert(sender);
    }
    response
}

/// Passes a request on that [`authorize`] has admitted as a part of another one, if its sender has the rights; 403
/// otherwise.
pub(crate) async fn require_rights(State(rights): State<Rights>, request: Request, next: Next) -> Response {
    let identity = request.extensions().get::<Identity>();
    let admitted = identity.ok_or_else(|| Error::internal("a part of a request was not admitted"));
    match admitted.and_then(|identity| identity.require_any(rights)) {
        Ok(()) => next.run(request).await,
        Err(error) => Failure(error).into_response(),
    }
}

async fn answer(guard: &Guard, identity: &Identity, request: Request, next: Next) -> Response {
    match admit(guard, identity.account(), request).await {
        Ok(request) => next.run(request).await,
        Err(error) => Failure(error).into_response(),
    }
}

/// Receives the request's body, if its route has one, then counts it among those of its account in flight.
async fn admit(guard: &Guard, account: &AccountId, mut request: Request) -> Result<Request> {
    let access = &guard.access;
    if let Some(body) = guard.body {
        let sender = Caller::Account(account.clone());
        request = access.receive(body, &sender, guard.charged, request).await?;
    }
    if let Some(finish) = request.extensions().get::<FinishFlag>() {
        let message = "too many requests of this account at once; try again shortly";
        let permit = access.in_flight.try_acquire(account);
        finish.hold_of_account(permit.ok_or_else(|| Error::new(Code::Overloaded, message))?);
    }
    Ok(request)
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
    let limit = counted(per_minute.into(), "request");
    let message = format!("{whose} has reached its limit of {limit} a minute; try again in {reset_s} s");
    Error::new(Code::RateLimited, message)
}

async fn verify(guard: &Guard, headers: &HeaderMap) -> Result<Identity> {
    guard.access.identify(headers).await?.ok_or_else(|| no_identity(headers))
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
