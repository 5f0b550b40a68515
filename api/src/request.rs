//! The outermost layer of every route: an id, a permit or 503, headers, metrics, a log line.

use std::{sync::Arc, time::Instant};

use axum::{
    extract::{MatchedPath, Request, State},
    http::{HeaderName, HeaderValue, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use chrono::Utc;
use domain::{
    Error,
    foundation::{
        failed_requests::{FailedRequest, FailedRequests},
        round::milliseconds,
    },
    money::{billing::FinishFlag, idempotency::ReplayFlag},
};
use ports::id::RequestId;
use tokio::sync::Semaphore;
use tracing::Span;

use crate::{
    access::in_flight_permit,
    deadline,
    drain::drain_unread,
    error::{ErrorFormat, Failure, render},
    request_trace::{record_status, request_trace},
    rest::{operation, paid_response::IDEMPOTENT_REPLAYED},
    sender::Sender,
};

/// The header with the request's id, on every response.
pub(crate) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The same header for System One's clients.
const SYSTEM_ONE_REQUEST_ID: HeaderName = HeaderName::from_static("x-typesafe-request-id");

/// Characters of a client's own request id that are logged, at most.
const CLIENT_ID_CHARS: usize = 128;

/// How routes are wrapped.
#[derive(Clone)]
pub(crate) struct Wrapping {
    /// One is held for each request in flight.
    pub(crate) permits: Arc<Semaphore>,
    /// The format of their errors.
    pub(crate) format: ErrorFormat,
    /// Keeps the requests that fail; none where nobody looks for them.
    pub(crate) failed: Option<FailedRequests>,
}

/// Wraps routes.
pub(crate) async fn handle(State(wrapping): State<Wrapping>, request: Request, next: Next) -> Response {
    let id = RequestId::new();
    let route = request.extensions().get::<MatchedPath>().map(|path| path.as_str().to_owned());
    // Unknown paths share one name, so that a scan cannot grow the metrics.
    let route = route.unwrap_or_else(|| "unmatched".to_owned());
    let traced = request_trace(&request, &id, &route);
    traced.run(answer(wrapping, Received { id, route, request }, next)).await
}

/// A request with its id and the pattern of its path.
struct Received {
    id: RequestId,
    route: String,
    request: Request,
}

async fn answer(wrapping: Wrapping, received: Received, next: Next) -> Response {
    let Wrapping { permits, format, failed } = wrapping;
    let Received { id, route, mut request } = received;
    let start = Instant::now();
    let method = request.method().clone();
    request.extensions_mut().insert(id.clone());
    let replayed = ReplayFlag::default();
    request.extensions_mut().insert(replayed.clone());
    let client_id = request.headers().get(REQUEST_ID).and_then(loggable).map(str::to_owned);
    let request = drain_unread(request);
    // Operators' tools are answered under overload too, when they are needed most.
    let finish = if operation::PATHS.contains(&request.uri().path()) {
        Ok(permits.try_acquire_owned().map(FinishFlag::holding).unwrap_or_default())
    } else {
        in_flight_permit(permits).await.map(FinishFlag::holding)
    };
    let response = match finish {
        // Holds the permit until the response is ready, and longer where a task still works for the request.
        Ok(finish) => deadline::enforce(request, finish, next).await,
        Err(error) => Failure(error).into_response(),
    };
    let sender = response.extensions().get::<Sender>().cloned();
    let error = response.extensions().get::<Arc<Error>>().cloned();
    let mut response = render(response, &id, format);
    let headers = response.headers_mut();
    if let Ok(value) = HeaderValue::from_str(id.as_str()) {
        if format == ErrorFormat::SystemOne {
            headers.insert(SYSTEM_ONE_REQUEST_ID, value.clone());
        }
        headers.insert(REQUEST_ID, value);
    }
    if replayed.is_set() {
        headers.insert(IDEMPOTENT_REPLAYED, HeaderValue::from_static("true"));
    }
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));

    let status = response.status().as_u16();
    let took = start.elapsed().as_secs_f64();
    record_status(&Span::current(), response.status());
    if let (Some(failed), Some(error)) = (failed, error)
        && (sender.is_some() || response.status().is_server_error())
    {
        failed.keep(FailedRequest {
            id: id.clone(),
            actor: sender.as_ref().map(|sender| sender.payer.name().to_owned()),
            account: sender.map(|sender| sender.account),
            method: method.to_string(),
            route: route.clone(),
            status,
            code: error.code.as_str().to_owned(),
            message: error.message.clone(),
            latency_ms: milliseconds(took * 1e3),
            at: Utc::now(),
        });
    }
    tracing::debug!(
        request_id = %id, client_request_id = client_id, %method, route, status, seconds = took, "answered"
    );
    metrics::counter!("gavel_requests_total", "route" => route.clone(), "status" => status.to_string())
        .increment(1);
    metrics::histogram!("gavel_request_seconds", "route" => route).record(took);
    response
}

/// A client's own request id, if the log can hold it: letters, digits and a few signs.
fn loggable(id: &HeaderValue) -> Option<&str> {
    let id = id.to_str().ok()?;
    let fits = (1..=CLIENT_ID_CHARS).contains(&id.len())
        && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.:/+=".contains(&byte));
    fits.then_some(id)
}
