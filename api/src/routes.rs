//! The whole URL table. What is not under `guarded` is public.

use std::time::Duration;

use axum::{
    Extension, Router,
    extract::DefaultBodyLimit,
    http::StatusCode,
    middleware,
    response::Redirect,
    routing::{MethodRouter, any, get, post},
};
use domain::api_key::Scope;
use tower_http::{catch_panic::CatchPanicLayer, timeout::RequestBodyTimeoutLayer};
use utoipa_swagger_ui::SwaggerUi;

use crate::{
    access::{self, Guard},
    app::App,
    deadline,
    error::Family,
    extract::Decoded,
    graphql, openapi, request,
    rest::{
        compat::{decisions, models, moderations, system_one},
        dataset, health, image, inference, operation, pricing, text,
    },
};

/// The longest pause within a body.
const BODY_PAUSE: Duration = Duration::from_secs(10);

/// Everything that answers, ready to be served. What is unknown below `/v1/` is answered in OpenAI's shape, which the
/// clients of System One read as well.
pub fn router(app: App) -> Router {
    own(&app).merge(system_one(&app)).merge(openai(&app)).merge(graphql(&app)).with_state(app)
}

fn own(app: &App) -> Router<App> {
    let settings = app.settings.clone();
    let paid = |scope, body_bytes, route: MethodRouter<App>| guarded(app, scope, body_bytes, route);
    let infer = || decoded(app, Scope::Infer, settings.inference_body_bytes, post(inference::infer));
    let through_judge =
        || decoded(app, Scope::Infer, settings.inference_body_bytes, post(inference::infer_through_judge));
    let [v1_inference, v1_custom, api_inference] = inference::ALIASES;
    let router = Router::new()
        .route(text::SINGLE, paid(Scope::Moderate, settings.text_body_bytes, post(text::moderate_text)))
        .route(text::BATCH, paid(Scope::Moderate, settings.batch_body_bytes, post(text::moderate_text_batch)))
        .route(image::IMAGE, paid(Scope::Moderate, settings.image_body_bytes, post(image::moderate_image)))
        .route(inference::INFERENCE, infer())
        .route(v1_inference, infer())
        .route(v1_custom, infer())
        .route(api_inference, infer())
        .route(inference::THROUGH_JUDGE, through_judge())
        .route(inference::THROUGH_JUDGE_ALIAS, through_judge())
        .route(dataset::DATASET, dataset(app))
        .route("/api/v1/moderate/health", get(health::get_health))
        .route("/api/pricing", get(pricing::get_pricing))
        .route("/livez", get(operation::live))
        .route("/readyz", get(operation::ready))
        .route("/metrics", get(operation::metrics))
        .route("/", get(|| async { Redirect::temporary("/docs/") }))
        .merge(SwaggerUi::new("/docs").url("/openapi.json", openapi::description()))
        .fallback(|| async { StatusCode::NOT_FOUND });
    family(router, app, Family::Gavel)
}

/// A dataset out, for whoever may look, and in, for whoever may change it.
fn dataset(app: &App) -> MethodRouter<App> {
    let export = among(app, &[Scope::Read, Scope::Manage], 0, get(dataset::export));
    export.merge(guarded(app, Scope::Manage, app.settings.import_body_bytes, post(dataset::import)))
}

fn system_one(app: &App) -> Router<App> {
    let bytes = app.settings.inference_body_bytes;
    let ask = decoded(app, Scope::Infer, bytes, post(system_one::system_one));
    family(Router::new().route(system_one::SYSTEM_ONE, ask), app, Family::SystemOne)
}

fn openai(app: &App) -> Router<App> {
    let (inference, batch) = (app.settings.inference_body_bytes, app.settings.batch_body_bytes);
    let router = Router::new()
        .route(decisions::DECISIONS, decoded(app, Scope::Infer, inference, post(decisions::decide)))
        .route(moderations::MODERATIONS, decoded(app, Scope::Moderate, batch, post(moderations::moderate)))
        .route(models::MODELS, guarded(app, Scope::Infer, inference, get(models::list)))
        .route("/v1/{*unknown}", any(|| async { StatusCode::NOT_FOUND }));
    family(router, app, Family::OpenAi)
}

fn graphql(app: &App) -> Router<App> {
    let operations = get(graphql::http::get)
        .post(graphql::http::post)
        .route_layer(middleware::from_fn_with_state(app.clone(), graphql::authenticate))
        .route_layer(DefaultBodyLimit::max(app.settings.graphql_body_bytes));
    let router = Router::new().route("/graphql", operations).route("/graphql/ws", get(graphql::ws::upgrade));
    family(router, app, Family::GraphQl)
}

/// What surrounds every route, with errors in the shape of a family.
fn family(router: Router<App>, app: &App, family: Family) -> Router<App> {
    router
        .method_not_allowed_fallback(|| async { StatusCode::METHOD_NOT_ALLOWED })
        .layer(RequestBodyTimeoutLayer::new(BODY_PAUSE))
        .layer(middleware::from_fn(deadline::keep))
        .layer(CatchPanicLayer::new())
        .layer(middleware::from_fn_with_state((app.clone(), family), request::handle))
}

/// A guarded route whose body may come compressed; `body_bytes` are allowed before and after it is unpacked.
fn decoded(app: &App, scope: Scope, body_bytes: usize, route: MethodRouter<App>) -> MethodRouter<App> {
    guarded(app, scope, body_bytes, route).route_layer(Extension(Decoded { at_most: body_bytes }))
}

/// A route for which an API key with `scope` is needed, and whose body may have `body_bytes`. Another method on its
/// path is 405 without a look at the key.
fn guarded(app: &App, scope: Scope, body_bytes: usize, route: MethodRouter<App>) -> MethodRouter<App> {
    among(app, &[scope], body_bytes, route)
}

/// The same where any of `scopes` is enough.
fn among(app: &App, scopes: &[Scope], body_bytes: usize, route: MethodRouter<App>) -> MethodRouter<App> {
    let guard = Guard { app: app.clone(), scopes: scopes.into() };
    route
        .route_layer(middleware::from_fn_with_state(guard, access::admit))
        .route_layer(DefaultBodyLimit::max(body_bytes))
}
