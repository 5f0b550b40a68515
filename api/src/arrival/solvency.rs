//! Which requests must be affordable before their bodies are received.

use axum::{body::HttpBody, extract::Request, http::header};

/// Bytes of a body that is received first, since its own errors come before those of the balance.
const SMALL_BYTES: u64 = 64 * 1_024;

/// Whether a request is refused before its body when its account cannot pay the least that it may cost: unless the body
/// is small. It is not when its client waits for `100 Continue`, or does not say how long it is. A request with an
/// `Idempotency-Key` may have been paid for already.
pub(crate) fn is_paid_before_body(request: &Request) -> bool {
    let headers = request.headers();
    let small = request.body().size_hint().upper().is_some_and(|bytes| bytes <= SMALL_BYTES)
        && !headers.contains_key(header::EXPECT);
    !small && !headers.contains_key("idempotency-key")
}
