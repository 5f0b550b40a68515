//! The `Idempotency-Key` of requests that charge nothing by themselves.

use axum::http::HeaderMap;
use domain::money::idempotency::Once;
use ports::id::RequestId;

use crate::{app::App, extract::idempotency_key};

/// The key of a request, if it has one.
pub(super) fn once(app: &App, headers: &HeaderMap, request_id: RequestId) -> Option<Once> {
    let idempotency = app.services.billing.idempotency.clone();
    idempotency_key(headers).map(|key| Once { idempotency, key, request_id })
}
