//! All routes. A line registers a handler, at the path in its `#[utoipa::path]`, with what it requires of a request.
//! The routes that the interface description leaves out are in [`router`].

use std::sync::Arc;

use axum::{
    Router,
    middleware::{from_fn, map_response},
    response::Response,
    routing::{any, get},
};
use domain::{money::pricing::Operation, people::api_key::Scope};
use tokio::sync::Semaphore;
use utoipa::openapi::OpenApi;
use utoipa_axum::{router::OpenApiRouter, routes};
use utoipa_swagger_ui::{Config, SwaggerUi};

use super::{
    layers::{authenticated, not_found, with_common_layers},
    route::{Route, route},
    rules::Rules,
};
use crate::{
    app::App,
    cors::with_cors,
    dashboard,
    error::ErrorFormat,
    graphql,
    mcp::{self, McpTool},
    openapi,
    process_status::ProcessStatus,
    request::Wrapping,
    rest::{
        batches, checkpoints,
        compat::{batches as openai_batches, decisions, files, models, moderations, system_one},
        dataset, evaluations, feedback, health, image, inference, operation, presets, pricing, text,
        unsubscribe,
    },
};

/// Bytes of a body that submits a Checkpoint or an evaluation, or gives feedback.
const MANAGEMENT_BYTES: usize = 64 * 1_024;

const PUBLIC: Rules = Rules::public();
const TEXT: Rules =
    Rules::key(&[Scope::Moderate]).json(|settings| settings.text_body_bytes).charged(&[Operation::Text]);
const TEXTS: Rules =
    Rules::key(&[Scope::Moderate]).json(|settings| settings.batch_body_bytes).charged(&[Operation::Text]);
const IMAGE: Rules = Rules::key(&[Scope::Moderate])
    .json_or_form(|settings| settings.image_body_bytes)
    .charged(&[Operation::Image]);
const TEXTS_AND_IMAGES: Rules = Rules::key(&[Scope::Moderate])
    .json(|settings| settings.batch_body_bytes.max(settings.image_body_bytes))
    .compressed()
    .charged(&[Operation::Text, Operation::Image]);
const FEEDBACK: Rules = Rules::key(&[Scope::Moderate, Scope::Manage]).moderators().json(|_| MANAGEMENT_BYTES);
const INFER: Rules = Rules::key(&[Scope::Infer])
    .json(|settings| settings.inference_body_bytes)
    .compressed()
    .charged(&[Operation::Inference]);
const MODELS: Rules = Rules::key(&[Scope::Infer, Scope::Read, Scope::Manage]);
const READ: Rules = Rules::key(&[Scope::Read, Scope::Manage]);
const PRICE: Rules = READ.json(|_| MANAGEMENT_BYTES);
const MANAGE: Rules = Rules::key(&[Scope::Manage]);
const SUBMIT: Rules = MANAGE.json(|_| MANAGEMENT_BYTES).held();
const IMPORT: Rules = MANAGE.file(|settings| settings.import_body_bytes);
const BATCH: Rules = Rules::key(&[Scope::Moderate, Scope::Infer, Scope::Read, Scope::Manage]);
const SUBMIT_BATCH: Rules =
    Rules::key(&[Scope::Moderate, Scope::Infer]).file(|settings| settings.bulk_body_bytes).held();
/// Uploads a file, which costs nothing.
const UPLOAD: Rules = Rules::key(&[Scope::Moderate, Scope::Infer]).file(|settings| settings.bulk_body_bytes);
/// Any key may list tools; each tool requires the scopes of its route.
const MCP: Rules = Rules::key(&[Scope::Moderate, Scope::Infer, Scope::Read, Scope::Manage])
    .json(|settings| settings.inference_body_bytes);
const SUBMIT_FILE: Rules = Rules::key(&[Scope::Moderate, Scope::Infer]).json(|_| MANAGEMENT_BYTES).held();

/// Gavel's own routes.
fn gavel_routes() -> Vec<Route> {
    vec![
        route(routes!(text::moderate_text), TEXT),
        route(routes!(text::moderate_text_batch), TEXTS),
        route(routes!(feedback::give_feedback), FEEDBACK),
        route(routes!(image::moderate_image), IMAGE),
        route(routes!(inference::infer), INFER),
        route(routes!(inference::infer), INFER).alias("/v1/inference", "inferAlias1"),
        route(routes!(inference::infer), INFER).alias("/v1/custom", "inferAlias2"),
        route(routes!(inference::infer), INFER).alias("/api/inference", "inferAlias3"),
        route(routes!(inference::infer_through_judge), INFER),
        route(routes!(inference::infer_through_judge), INFER)
            .alias("/v1/judges/{id}/inference", "inferThroughJudgeAlias"),
        route(routes!(dataset::export_dataset), READ),
        route(routes!(dataset::import_dataset), IMPORT),
        route(routes!(checkpoints::create_checkpoint), SUBMIT),
        route(routes!(checkpoints::get_checkpoint), READ),
        route(routes!(checkpoints::cancel_checkpoint), MANAGE),
        route(routes!(checkpoints::activate_checkpoint), MANAGE),
        route(routes!(evaluations::create_evaluation), SUBMIT),
        route(routes!(evaluations::price_evaluation), PRICE),
        route(routes!(evaluations::get_evaluation), READ),
        route(routes!(evaluations::cancel_evaluation), MANAGE),
        route(routes!(evaluations::get_evaluation_cascade), READ),
        route(routes!(evaluations::export_evaluation_answers), READ),
        route(routes!(batches::create_batch), SUBMIT_BATCH),
        route(routes!(batches::list_batches), BATCH),
        route(routes!(batches::get_batch), BATCH),
        route(routes!(batches::get_batch_results), BATCH),
        route(routes!(batches::cancel_batch), BATCH),
        route(routes!(health::get_health), PUBLIC),
        route(routes!(pricing::get_pricing), PUBLIC),
        route(routes!(presets::list_presets), PUBLIC),
        route(routes!(unsubscribe::open_unsubscribe), PUBLIC),
        route(routes!(unsubscribe::unsubscribe), PUBLIC),
    ]
}

/// Routes for operators' tools.
fn operation_routes() -> Vec<Route> {
    vec![
        route(routes!(operation::get_live), PUBLIC),
        route(routes!(operation::get_ready), PUBLIC),
        route(routes!(operation::get_metrics), PUBLIC),
    ]
}

/// Routes in System One's shapes. OpenRouter has the same shape at two paths of its own, which its clients call.
fn system_one_routes() -> Vec<Route> {
    vec![
        route(routes!(system_one::infer), INFER),
        route(routes!(system_one::infer), INFER).alias("/api/v1/systemone", "systemOneAlias1"),
        route(routes!(system_one::infer), INFER).alias("/api/alpha/decisions", "systemOneAlias2"),
    ]
}

/// Routes in OpenAI's shapes.
fn openai_routes() -> Vec<Route> {
    vec![
        route(routes!(decisions::create_decision), INFER),
        route(routes!(moderations::create_moderation), TEXTS_AND_IMAGES),
        route(routes!(models::list_models), MODELS),
        route(routes!(models::get_model), MODELS),
        route(routes!(files::create_file), UPLOAD),
        route(routes!(files::list_files), BATCH),
        route(routes!(files::get_file), BATCH),
        route(routes!(files::delete_file), BATCH),
        route(routes!(files::get_file_content), BATCH),
        route(routes!(openai_batches::create_openai_batch), SUBMIT_FILE),
        route(routes!(openai_batches::list_openai_batches), BATCH),
        route(routes!(openai_batches::get_openai_batch), BATCH),
        route(routes!(openai_batches::cancel_openai_batch), BATCH),
    ]
}

/// All routes with their layers. Unknown paths below `/v1/` are answered in OpenAI's error format, which System One's
/// clients can read as well.
pub fn router(app: App) -> Router {
    let gavel = guarded(gavel_routes(), &app)
        .merge(guarded(operation_routes(), &app))
        .route("/", get(dashboard::serve))
        .route("/assets/{*file}", get(dashboard::serve))
        .route("/mcp", MCP.guard(mcp::handlers(tool_routes(&app), &description(), &app), &app))
        .merge(documentation())
        .fallback(dashboard::serve);
    let system_one = guarded(system_one_routes(), &app);
    let openai = guarded(openai_routes(), &app).route("/v1/{*unknown}", any(not_found));
    let operations = get(graphql::http::get).post(graphql::http::post);
    let graphql = Router::new()
        .route("/graphql", authenticated(operations, &app).route_layer(from_fn(graphql::serve_to_browsers)))
        .route("/graphql/ws", get(graphql::ws::upgrade));
    let wrapping = &Wrapping {
        permits: app.request_permits.clone(),
        format: ErrorFormat::Gavel,
        failed: Some(app.services.failed_requests.clone()),
    };
    let all = with_common_layers(gavel, wrapping, ErrorFormat::Gavel)
        .merge(with_common_layers(system_one, wrapping, ErrorFormat::SystemOne))
        .merge(with_common_layers(openai, wrapping, ErrorFormat::OpenAi))
        .merge(with_common_layers(graphql, wrapping, ErrorFormat::GraphQl));
    with_cors(all, &app.settings.allowed_origins).with_state(app)
}

/// The routes that the tools of `/mcp` call.
fn tool_routes(app: &App) -> Router {
    let paths = McpTool::paths();
    let called = gavel_routes().into_iter().filter(|route| paths.contains(&route.path().as_str()));
    let routes = called.fold(Router::new(), |router, route| {
        let (path, handlers) = route.guarded_part(app);
        router.route(&path, handlers)
    });
    routes.with_state(app.clone())
}

/// Swagger UI, which loads its own files alone.
fn documentation() -> Router<App> {
    let config = Config::default().validator_url("none");
    let pages = SwaggerUi::new("/docs").url("/openapi.json", description()).config(config);
    Router::from(pages).layer(map_response(async |page: Response| dashboard::with_security_policy(page)))
}

/// The routes for operators alone, for a listener of their own, which limits connections in place of requests.
pub fn operations_router(process: ProcessStatus) -> Router {
    let routes = Router::new()
        .route(operation::LIVE_PATH, get(operation::get_live))
        .route(operation::READY_PATH, get(operation::get_ready))
        .route(operation::METRICS_PATH, get(operation::get_metrics))
        .fallback(not_found);
    let permits = Arc::new(Semaphore::new(Semaphore::MAX_PERMITS));
    let wrapping = Wrapping { permits, format: ErrorFormat::Gavel, failed: None };
    with_common_layers(routes, &wrapping, ErrorFormat::Gavel).with_state(process)
}

/// The interface description as indented JSON with a newline at its end.
///
/// # Errors
/// None that can happen: it is plain data.
pub fn openapi_document() -> serde_json::Result<String> {
    Ok(description().to_pretty_json()? + "\n")
}

fn description() -> OpenApi {
    let groups = [
        (ErrorFormat::Gavel, gavel_routes()),
        (ErrorFormat::Gavel, operation_routes()),
        (ErrorFormat::SystemOne, system_one_routes()),
        (ErrorFormat::OpenAi, openai_routes()),
    ];
    let mut described = OpenApiRouter::with_openapi(openapi::without_paths());
    for (format, routes) in groups {
        for route in routes {
            described = described.routes(route.described(format));
        }
    }
    let mut document = described.into_openapi();
    openapi::allow_null_in_requests(&mut document);
    document
}

fn guarded(routes: Vec<Route>, app: &App) -> Router<App> {
    routes.into_iter().fold(Router::new(), |router, route| {
        let (path, handlers) = route.guarded(app);
        router.route(&path, handlers)
    })
}
