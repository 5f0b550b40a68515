//! The whole URL table. A line registers a path, its handler with the handler's OpenAPI description, and who may call it
//! with how large a body. Routes that the description does not list are in [`router`] itself.

use axum::{
    Router,
    http::StatusCode,
    middleware::from_fn,
    routing::{any, get},
};
use domain::people::api_key::Scope;
use utoipa::openapi::OpenApi;
use utoipa_axum::{router::OpenApiRouter, routes};
use utoipa_swagger_ui::SwaggerUi;

use crate::{
    app::App,
    cors::with_cors,
    dashboard,
    error::ErrorFormat,
    graphql, openapi,
    rest::{
        batches, checkpoints,
        compat::{decisions, models, moderations, system_one},
        dataset, evaluations, feedback, health, image, inference, operation, pricing, text,
    },
};

mod route;

use route::{Access, Route, authenticated, route, with_common_layers};

/// Bytes of a body that submits a Checkpoint or an evaluation, or gives feedback.
const MANAGEMENT_BYTES: usize = 64 * 1_024;

const PUBLIC: Access = Access::public();
const TEXT: Access = Access::key(&[Scope::Moderate], |settings| settings.text_body_bytes);
const TEXTS: Access = Access::key(&[Scope::Moderate], |settings| settings.batch_body_bytes);
const FEEDBACK: Access = Access::key(&[Scope::Moderate, Scope::Manage], |_| MANAGEMENT_BYTES);
const IMAGE: Access = Access::key(&[Scope::Moderate], |settings| settings.image_body_bytes);
const INFER: Access = Access::key(&[Scope::Infer], |settings| settings.inference_body_bytes);
const EXPORT: Access = Access::key(&[Scope::Read, Scope::Manage], |_| 0);
const SUBMIT: Access = Access::key(&[Scope::Moderate, Scope::Infer], |settings| settings.bulk_body_bytes);
const BATCH: Access = Access::key(&[Scope::Moderate, Scope::Infer, Scope::Read, Scope::Manage], |_| 0);
const SEE: Access = Access::key(&[Scope::Read, Scope::Manage], |_| MANAGEMENT_BYTES);
const MANAGE: Access = Access::key(&[Scope::Manage], |_| MANAGEMENT_BYTES);
const IMPORT: Access = Access::key(&[Scope::Manage], |settings| settings.import_body_bytes);

/// Gavel's own routes.
fn gavel_routes() -> Vec<Route> {
    vec![
        route("/api/v1/moderate/text", routes!(text::moderate_text), TEXT),
        route("/api/v1/moderate/text/batch", routes!(text::moderate_text_batch), TEXTS),
        route("/api/v1/moderate/feedback", routes!(feedback::give_feedback), FEEDBACK),
        route("/api/v1/moderate/image", routes!(image::moderate_image), IMAGE),
        route("/api/v1/inference", routes!(inference::infer), INFER.compressed()),
        route("/v1/inference", routes!(inference::infer), INFER.compressed())
            .alias("inferAlias1", "/api/v1/inference"),
        route("/v1/custom", routes!(inference::infer), INFER.compressed())
            .alias("inferAlias2", "/api/v1/inference"),
        route("/api/inference", routes!(inference::infer), INFER.compressed())
            .alias("inferAlias3", "/api/v1/inference"),
        route("/api/v1/judges/{id}/inference", routes!(inference::infer_through_judge), INFER.compressed()),
        route("/v1/judges/{id}/inference", routes!(inference::infer_through_judge), INFER.compressed())
            .alias("inferThroughJudgeAlias", "/api/v1/judges/{id}/inference"),
        route("/api/v1/judges/{id}/dataset", routes!(dataset::export_dataset), EXPORT),
        route("/api/v1/judges/{id}/dataset", routes!(dataset::import_dataset), IMPORT),
        route("/api/v1/judges/{id}/checkpoints", routes!(checkpoints::create_checkpoint), MANAGE),
        route("/api/v1/checkpoints/{id}", routes!(checkpoints::get_checkpoint), SEE),
        route("/api/v1/checkpoints/{id}/cancel", routes!(checkpoints::cancel_checkpoint), MANAGE),
        route("/api/v1/checkpoints/{id}/activate", routes!(checkpoints::activate_checkpoint), MANAGE),
        route("/api/v1/judges/{id}/evaluations", routes!(evaluations::create_evaluation), MANAGE),
        route("/api/v1/judges/{id}/evaluations/price", routes!(evaluations::price_evaluation), SEE),
        route("/api/v1/evaluations/{id}", routes!(evaluations::get_evaluation), SEE),
        route("/api/v1/evaluations/{id}/cancel", routes!(evaluations::cancel_evaluation), MANAGE),
        route("/api/v1/batches", routes!(batches::create_batch), SUBMIT),
        route("/api/v1/batches", routes!(batches::list_batches), BATCH),
        route("/api/v1/batches/{id}", routes!(batches::get_batch), BATCH),
        route("/api/v1/batches/{id}/results", routes!(batches::get_batch_results), BATCH),
        route("/api/v1/batches/{id}/cancel", routes!(batches::cancel_batch), BATCH),
        route("/api/v1/moderate/health", routes!(health::get_health), PUBLIC),
        route("/api/pricing", routes!(pricing::get_pricing), PUBLIC),
        route("/livez", routes!(operation::get_live), PUBLIC),
        route("/readyz", routes!(operation::get_ready), PUBLIC),
        route("/metrics", routes!(operation::get_metrics), PUBLIC),
    ]
}

/// Routes in System One's shapes.
fn system_one_routes() -> Vec<Route> {
    vec![route("/v1/systemone", routes!(system_one::infer), INFER.compressed())]
}

/// Routes in OpenAI's shapes.
fn openai_routes() -> Vec<Route> {
    vec![
        route("/v1/decisions", routes!(decisions::create_decision), INFER.compressed()),
        route("/v1/moderations", routes!(moderations::create_moderation), TEXTS.compressed()),
        route("/v1/models", routes!(models::list_models), INFER),
        route("/v1/models/{model}", routes!(models::get_model), INFER),
    ]
}

/// All routes with their layers. Unknown paths below `/v1/` are answered in OpenAI's error format, which System One's
/// clients can read as well.
pub fn router(app: App) -> Router {
    let not_found = || async { StatusCode::NOT_FOUND };
    let gavel = guarded(gavel_routes(), &app)
        .route("/", get(dashboard::serve))
        .route("/assets/{*file}", get(dashboard::serve))
        .merge(SwaggerUi::new("/docs").url("/openapi.json", description()))
        .fallback(dashboard::serve);
    let system_one = guarded(system_one_routes(), &app);
    let openai = guarded(openai_routes(), &app).route("/v1/{*unknown}", any(not_found));
    let operations = get(graphql::http::get).post(graphql::http::post);
    let graphql = Router::new()
        .route("/graphql", authenticated(operations, &app).route_layer(from_fn(graphql::serve_to_browsers)))
        .route("/graphql/ws", get(graphql::ws::upgrade));
    let all = with_common_layers(gavel, &app, ErrorFormat::Gavel)
        .merge(with_common_layers(system_one, &app, ErrorFormat::SystemOne))
        .merge(with_common_layers(openai, &app, ErrorFormat::OpenAi))
        .merge(with_common_layers(graphql, &app, ErrorFormat::GraphQl));
    with_cors(all, &app.settings.allowed_origins).with_state(app)
}

/// The routes for operators alone, for a listener of their own.
pub fn operations_router(app: App) -> Router {
    let operations = |path: &str| ["/livez", "/readyz", "/metrics"].contains(&path);
    let routes = gavel_routes().into_iter().filter(|route| operations(route.path())).collect();
    let routes = guarded(routes, &app).fallback(|| async { StatusCode::NOT_FOUND });
    with_common_layers(routes, &app, ErrorFormat::Gavel).with_state(app)
}

/// The OpenAPI description as indented JSON with a newline at its end.
///
/// # Errors
/// None that can happen: it is plain data.
pub fn openapi_document() -> serde_json::Result<String> {
    Ok(description().to_pretty_json()? + "\n")
}

fn description() -> OpenApi {
    let routes = gavel_routes().into_iter().chain(system_one_routes()).chain(openai_routes());
    let described = OpenApiRouter::with_openapi(openapi::without_paths());
    routes.fold(described, |described, route| described.routes(route.described())).into_openapi()
}

fn guarded(routes: Vec<Route>, app: &App) -> Router<App> {
    routes.into_iter().fold(Router::new(), |router, route| {
        let (path, handlers) = route.guarded(app);
        router.route(path, handlers)
    })
}
