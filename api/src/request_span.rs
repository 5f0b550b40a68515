//! The span of a request.

use axum::{extract::Request, http::StatusCode};
use opentelemetry::global;
use opentelemetry_http::HeaderExtractor;
use ports::id::RequestId;
use tracing::{Span, field::Empty};
use tracing_opentelemetry::OpenTelemetrySpanExt as _;

use crate::rest::operation;

/// The span of a request to `route`, which continues the trace that the client names in `traceparent`. None for
/// operators' tools, which ask every few seconds.
pub(crate) fn request_span(request: &Request, id: &RequestId, route: &str) -> Span {
    if operation::PATHS.contains(&request.uri().path()) {
        return Span::none();
    }
    let method = request.method();
    let span = tracing::info_span!(
        "request",
        otel.name = %format_args!("{method} {route}"),
        otel.kind = "server",
        otel.status_code = Empty,
        http.request.method = %method,
        http.route = route,
        http.response.status_code = Empty,
        request_id = %id,
    );
    if !span.is_disabled() {
        let headers = HeaderExtractor(request.headers());
        let client = global::get_text_map_propagator(|propagator| propagator.extract(&headers));
        // Refused only for a span that has begun.
        let _ = span.set_parent(client);
    }
    span
}

/// Adds the response's status to the span.
pub(crate) fn record_status(span: &Span, status: StatusCode) {
    span.record("http.response.status_code", status.as_u16());
    if status.is_server_error() {
        span.record("otel.status_code", "ERROR");
    }
}
