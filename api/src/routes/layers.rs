//! The layers around handlers that the rules of a route do not say.

use axum::{Router, extract::DefaultBodyLimit, http::StatusCode, middleware, routing::MethodRouter};
use tower_http::catch_panic::CatchPanicLayer;

use crate::{
    app::App,
    error::ErrorFormat,
    graphql,
    request::{self, Wrapping},
};

/// Puts handlers of GraphQL behind authentication and a limit of the body.
pub(super) fn authenticated(handlers: MethodRouter<App>, app: &App) -> MethodRouter<App> {
    handlers
        .route_layer(middleware::from_fn_with_state(app.graphql.clone(), graphql::authenticate))
        .route_layer(DefaultBodyLimit::max(app.settings.graphql_body_bytes))
}

/// Adds the layers that every route has, with errors in `format`.
pub(super) fn with_common_layers<S: Clone + Send + Sync + 'static>(
    router: Router<S>,
    wrapping: &Wrapping,
    format: ErrorFormat,
) -> Router<S> {
    let wrapping = Wrapping { format, ..wrapping.clone() };
    router
        .method_not_allowed_fallback(method_not_allowed)
        // One layer of two, the outermost first: each further one would be boxed, and cloned with every request.
        .layer((middleware::from_fn_with_state(wrapping, request::handle), CatchPanicLayer::new()))
}

async fn method_not_allowed() -> StatusCode {
    StatusCode::METHOD_NOT_ALLOWED
}

/// Answers that there is nothing at a path.
pub(super) async fn not_found() -> StatusCode {
    StatusCode::NOT_FOUND
}
