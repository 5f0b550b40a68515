//! Cross-origin requests: pages of the origins in `allowed_origins` may use the API, also with the cookie of a person
//! who is signed in. Browsers show no answer to pages of other origins. Without the setting, nothing is added.

use std::time::Duration;

use axum::{
    Router,
    http::{HeaderName, Method, header},
};
use tower_http::cors::{AllowHeaders, AllowOrigin, CorsLayer};

use crate::request::REQUEST_ID;

/// How long a browser may keep the answer to a preflight.
const PREFLIGHT_LIFETIME: Duration = Duration::from_secs(600);
/// Headers of responses that a page may read, besides those that every page may.
const EXPOSED: [HeaderName; 7] = [
    REQUEST_ID,
    header::RETRY_AFTER,
    header::CONTENT_DISPOSITION,
    HeaderName::from_static("ratelimit"),
    HeaderName::from_static("ratelimit-policy"),
    HeaderName::from_static("idempotent-replayed"),
    HeaderName::from_static("x-typesafe-request-id"),
];

/// Answers preflights and names the allowed origins on every response below `/api`, `/v1` and `/graphql`. `origins`: in
/// lower case.
pub(crate) fn with_cors<S: Clone + Send + Sync + 'static>(
    router: Router<S>,
    origins: &[String],
) -> Router<S> {
    if origins.is_empty() {
        return router;
    }
    let origins = origins.to_owned();
    let allowed = AllowOrigin::predicate(move |origin, request| {
        is_api(request.uri.path())
            && origin.to_str().is_ok_and(|origin| origins.contains(&origin.to_ascii_lowercase()))
    });
    router.layer(
        CorsLayer::new()
            .allow_origin(allowed)
            .allow_credentials(true)
            .allow_methods([Method::GET, Method::POST, Method::DELETE])
            .allow_headers(AllowHeaders::mirror_request())
            .expose_headers(EXPOSED)
            .max_age(PREFLIGHT_LIFETIME),
    )
}

fn is_api(path: &str) -> bool {
    ["/api/", "/v1/", "/graphql"].iter().any(|prefix| path.starts_with(prefix))
}
