//! The whole URL table. What is not under `guarded` is public.

use std::time::Duration;

use axum::{
    Router,
    extract::DefaultBodyLimit,
    http::StatusCode,
    middleware,
    response::Redirect,
    routing::{MethodRouter, get, post},
};
use domain::api_key::Scope;
use tower_http::{
    catch_panic::CatchPanicLayer,
    timeout::{RequestBodyTimeoutLayer, TimeoutLayer},
};
use utoipa_swagger_ui::SwaggerUi;

use crate::{
    access::{self, Guard},
    app::App,
    openapi, request,
    rest::{health, image, operation, pricing, text},
};

/// The longest a request may take, its body's arrival included.
const DEADLINE: Duration = Duration::from_secs(60);
/// The longest pause within a body.
const BODY_PAUSE: Duration = Duration::from_secs(10);

/// Everything that answers, ready to be served.
pub fn router(app: App) -> Router {
    let settings = app.settings.clone();
    let paid = |scope, body_bytes, route: MethodRouter<App>| guarded(&app, scope, body_bytes, route);
    Router::new()
        .route(text::SINGLE, paid(Scope::Moderate, settings.text_body_bytes, post(text::moderate_text)))
        .route(text::BATCH, paid(Scope::Moderate, settings.batch_body_bytes, post(text::moderate_text_batch)))
        .route(image::IMAGE, paid(Scope::Moderate, settings.image_body_bytes, post(image::moderate_image)))
        .route("/api/v1/moderate/health", get(health::get_health))
        .route("/api/pricing", get(pricing::get_pricing))
        .route("/livez", get(operation::live))
        .route("/readyz", get(operation::ready))
        .route("/metrics", get(operation::metrics))
        .route("/", get(|| async { Redirect::temporary("/docs/") }))
        .merge(SwaggerUi::new("/docs").url("/openapi.json", openapi::description()))
        .fallback(|| async { StatusCode::NOT_FOUND })
        .method_not_allowed_fallback(|| async { StatusCode::METHOD_NOT_ALLOWED })
        .layer(RequestBodyTimeoutLayer::new(BODY_PAUSE))
        .layer(TimeoutLayer::with_status_code(StatusCode::SERVICE_UNAVAILABLE, DEADLINE))
        .layer(CatchPanicLayer::new())
        .layer(middleware::from_fn_with_state(app.clone(), request::handle))
        .with_state(app)
}

/// A route for which an API key with `scope` is needed, and whose body may have `body_bytes`. Another method on its
/// path is 405 without a look at the key.
fn guarded(app: &App, scope: Scope, body_bytes: usize, route: MethodRouter<App>) -> MethodRouter<App> {
    let guard = Guard { app: app.clone(), scope };
    route
        .route_layer(middleware::from_fn_with_state(guard, access::admit))
        .route_layer(DefaultBodyLimit::max(body_bytes))
}
