//! The MCP server: lists tools and resources, calls tools and reads resources.

use std::sync::Arc;

use axum::http::request::Parts;
use domain::{Code, Error};
use rmcp::{
    RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CustomRequest, CustomResult, ErrorCode, ErrorData,
        Implementation, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
        ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities, ServerConfig, Tool,
    },
    service::RequestContext,
};
use serde_json::json;
use strum::IntoEnumIterator as _;
use utoipa::openapi::OpenApi;

use super::{
    input_schema::ApiSchemas, judge_resources::JudgeResources, tool::McpTool, tool_routes::ToolRoutes,
};
use crate::identity::Identity;

/// The methods with parameters that this server answers.
const METHODS: [&str; 5] = ["initialize", "resources/list", "resources/read", "tools/call", "tools/list"];

const INSTRUCTIONS: &str = "Gavel moderates messages and pictures, and answers typed questions with calibrated \
                            probabilities. Calls are charged in credits, on success only. An error is an object with \
                            `code`, `error` and, for arguments, `details`.";

/// The server of one request. Cheap to clone.
#[derive(Clone)]
pub(super) struct McpServer {
    tools: Arc<Vec<Tool>>,
    routes: ToolRoutes,
    judges: JudgeResources,
}

impl McpServer {
    pub(super) fn new(description: &OpenApi, routes: ToolRoutes, judges: JudgeResources) -> Self {
        let schemas = ApiSchemas::new(description);
        let tools = McpTool::iter().map(|tool| tool.describe(&schemas)).collect();
        Self { tools: Arc::new(tools), routes, judges }
    }
}

impl ServerHandler for McpServer {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_resources().build();
        let gavel = Implementation::new("gavel", env!("CARGO_PKG_VERSION")).with_title("Gavel");
        ServerConfig::new(capabilities).with_server_info(gavel).with_instructions(INSTRUCTIONS)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.tools.iter().find(|tool| tool.name == name).cloned()
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.tools.to_vec()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = McpTool::named(&request.name) else {
            let names: Vec<&str> = McpTool::names().collect();
            return Err(ErrorData::invalid_params(
                format!("name must be one of: {}", names.join(", ")),
                None,
            ));
        };
        let call = self.routes.call(tool, request.arguments.unwrap_or_default(), head(&context)?);
        // As over REST: what a client that is gone has asked for is given up, unless it is being charged.
        let answer = tokio::select! {
            answer = call => answer,
            () = context.ct.cancelled() => {
                return Err(ErrorData::internal_error("the call was cancelled", None));
            }
        };
        answer.map(CallToolResponse::Complete).map_err(protocol_error)
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let cursor = request.and_then(|request| request.cursor);
        self.judges.list(identity(&context)?, cursor).await.map_err(protocol_error)
    }

    /// A method that the protocol has, but with parameters of another shape, or one that it does not have.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let method = request.method;
        if METHODS.contains(&method.as_str()) {
            return Err(ErrorData::invalid_params(
                format!("the parameters of {method} have the wrong shape"),
                None,
            ));
        }
        let message = format!("there is no method {method}");
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let read = self.judges.read(identity(&context)?, &request.uri).await;
        read.map(ReadResourceResponse::Complete).map_err(protocol_error)
    }
}

/// The head of the HTTP request around a message.
fn head(context: &RequestContext<RoleServer>) -> Result<&Parts, ErrorData> {
    let head = context.extensions.get::<Parts>();
    head.ok_or_else(|| protocol_error(Error::internal("a message came without a request")))
}

fn identity(context: &RequestContext<RoleServer>) -> Result<&Identity, ErrorData> {
    let identity = head(context)?.extensions.get::<Identity>();
    identity.ok_or_else(|| protocol_error(Error::internal("a message came around access control")))
}

/// An error as the protocol has it, with Gavel's code in its data.
fn protocol_error(error: Error) -> ErrorData {
    if let Some(cause) = &error.cause {
        tracing::error!(code = error.code.as_str(), cause, "a message failed");
    }
    let data = Some(json!({ "code": error.code.as_str() }));
    match error.code {
        Code::NotFound => ErrorData::resource_not_found(error.message, data),
        Code::ValidationFailed => ErrorData::invalid_params(error.message, data),
        Code::Forbidden | Code::Conflict => ErrorData::invalid_request(error.message, data),
        _ => ErrorData::internal_error(error.message, data),
    }
}
