//! The handlers of `/mcp`. Without sessions, each message is a request of its own, answered in JSON.

use axum::{
    Router,
    body::{Body, to_bytes},
    extract::{Request, State},
    http::StatusCode,
    response::Response,
    routing::{MethodRouter, post},
};
use domain::{Code, Error, Result};
use rmcp::transport::streamable_http_server::{
    StreamableHttpServerConfig, StreamableHttpService, session::never::NeverSessionManager,
};
use utoipa::openapi::OpenApi;

use super::{judge_resources::JudgeResources, server::McpServer, tool_routes::ToolRoutes};
use crate::{
    app::App,
    error::Failure,
    extract::{accepts_json, content_type, refuse_content_encoding},
};

/// Bytes of a message of the protocol's library about a request that it refuses, at most.
const REASON_BYTES: usize = 4_096;

type McpService = StreamableHttpService<McpServer, NeverSessionManager>;

/// The handlers, to be put behind access control. `tools`: the routes that tools call.
pub(crate) fn handlers(tools: Router, description: &OpenApi, app: &App) -> MethodRouter<App> {
    let routes = ToolRoutes::new(tools, app.services.failed_requests.clone());
    let server = McpServer::new(description, routes, JudgeResources::new(&app.services));
    // Every request needs a key, which a page of another origin does not have.
    let mut config = StreamableHttpServerConfig::default().disable_allowed_hosts();
    config.legacy_session_mode = false;
    config.json_response = true;
    config.max_request_body_bytes = app.settings.inference_body_bytes;
    let service = McpService::new(move || Ok(server.clone()), NeverSessionManager::default().into(), config);
    post(answer).with_state(service)
}

async fn answer(State(service): State<McpService>, request: Request) -> Result<Response, Failure> {
    refuse_content_encoding(request.headers())?;
    let is_json = accepts_json(request.headers());
    let response = service.handle(request).await.map(Body::new);
    if response.status().is_success() || content_type(response.headers()) == "application/json" {
        return Ok(response);
    }
    Err(refusal(response, is_json).await.into())
}

/// The error for a refusal in plain text. `is_json`: whether the request said that it is JSON.
async fn refusal(response: Response, is_json: bool) -> Error {
    let code = match response.status() {
        StatusCode::UNSUPPORTED_MEDIA_TYPE if !is_json => Code::UnsupportedMediaType,
        StatusCode::PAYLOAD_TOO_LARGE => Code::PayloadTooLarge,
        status if status.is_client_error() => Code::MalformedBody,
        _ => Code::InternalError,
    };
    let reason = to_bytes(response.into_body(), REASON_BYTES).await.unwrap_or_default();
    Error::new(code, String::from_utf8_lossy(&reason).into_owned())
}
