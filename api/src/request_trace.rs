//! The trace of a request.

use axum::{
    extract::Request,
    http::{Method, StatusCode},
};
use domain::foundation::traces::Traced;
use opentelemetry::{global, trace::SpanKind};
use opentelemetry_http::HeaderExtractor;
use ports::id::RequestId;
use tracing::{Span, field::Empty};

use crate::rest::operation;

/// The trace of a request to `route`, which continues the one that the client names in `traceparent`. None for
/// operators' tools, which ask every few seconds.
pub(crate) fn request_trace(request: &Request, id: &RequestId, route: &str) -> Traced {
    if operation::PATHS.contains(&request.uri().path()) {
        return Traced::never();
    }
    let headers = HeaderExtractor(request.headers());
    let client = global::get_text_map_propagator(|propagator| propagator.extract(&headers));
    Traced::begin(&client, &SpanKind::Server, || request_span(request.method(), id, route))
}

fn request_span(method: &Method, id: &RequestId, route: &str) -> Span {
    tracing::info_span!(
        "request",
        otel.name = %format_args!("{method} {route}"),
        otel.kind = "server",
        otel.status_code = Empty,
        http.request.method = %method,
        http.route = route,
        http.response.status_code = Empty,
        request_id = %id,
    )
}

/// Adds the response's status to the span.
pub(crate) fn record_status(span: &Span, status: StatusCode) {
    span.record("http.response.status_code", status.as_u16());
    if status.is_server_error() {
        span.record("otel.status_code", "ERROR");
    }
}
