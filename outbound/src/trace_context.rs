//! The trace that a request to another server continues.

use opentelemetry::global;
use opentelemetry_http::HeaderInjector;
use reqwest::header::HeaderMap;

/// `traceparent` and `tracestate` of the current span, as by W3C Trace Context; empty if it is not traced.
pub(crate) fn trace_headers() -> HeaderMap {
    let mut headers = HeaderMap::new();
    global::get_text_map_propagator(|propagator| propagator.inject(&mut HeaderInjector(&mut headers)));
    headers
}
