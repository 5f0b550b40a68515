//! A call of a tool as a request to the route that does its work: the same scopes, prices, checks and errors. Access
//! control has admitted the request around it, so that it is counted once.

use std::{sync::Arc, time::Instant};

use axum::{
    Router,
    body::{Body, to_bytes},
    extract::Request,
    http::{HeaderValue, Method, StatusCode, header, request::Parts},
    response::{IntoResponse, Response},
};
use chrono::Utc;
use domain::{
    Error, Result,
    foundation::{
        failed_requests::{FailedRequest, FailedRequests},
        round::milliseconds,
    },
    money::billing::FinishFlag,
};
use ports::id::RequestId;
use rmcp::model::{CallToolResult, JsonObject};
use serde_json::Value;
use tower_service::Service as _;

use super::tool::{McpTool, ToolRequest};
use crate::{
    error::{ErrorFormat, Failure, render},
    identity::Identity,
};

/// The name of all calls in the log of failed requests.
const ROUTE: &str = "/mcp";

/// The routes that tools call. Cheap to clone.
#[derive(Clone)]
pub(super) struct ToolRoutes {
    routes: Router,
    failed: FailedRequests,
}

/// Who calls a tool, taken from the request around the call.
struct ToolCaller {
    identity: Identity,
    request_id: RequestId,
    finish: FinishFlag,
}

impl ToolRoutes {
    /// `routes`: those of [`McpTool::paths`], which check scopes and nothing else of access control.
    pub(super) fn new(routes: Router, failed: FailedRequests) -> Self {
        Self { routes, failed }
    }

    /// Calls a tool. `around`: the head of the request that the call came in.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` for an answer that is not JSON, or outside access control. Errors of the route are results.
    pub(super) async fn call(
        &self,
        tool: McpTool,
        arguments: JsonObject,
        around: &Parts,
    ) -> Result<CallToolResult> {
        let start = Instant::now();
        let caller = ToolCaller::of(around)?;
        let response = match tool.request(arguments).and_then(|request| caller.request(tool, request)) {
            Ok(request) => self.send(request).await,
            Err(error) => Failure(error).into_response(),
        };
        let error = response.extensions().get::<Arc<Error>>().cloned();
        let response = render(response, &caller.request_id, ErrorFormat::Gavel);
        let status = response.status();
        if let Some(error) = error {
            self.record(caller, status, &error, start);
        }
        let body = to_bytes(response.into_body(), usize::MAX).await.map_err(Error::internal)?;
        let body: Value = serde_json::from_slice(&body).map_err(Error::internal)?;
        if status.is_success() {
            Ok(CallToolResult::structured(body))
        } else {
            Ok(CallToolResult::structured_error(body))
        }
    }

    async fn send(&self, request: Request) -> Response {
        let Ok(response) = self.routes.clone().call(request).await;
        response
    }

    fn record(&self, caller: ToolCaller, status: StatusCode, error: &Error, start: Instant) {
        self.failed.keep(FailedRequest {
            id: caller.request_id,
            account: Some(caller.identity.account().clone()),
            actor: Some(caller.identity.payer().name().to_owned()),
            method: Method::POST.to_string(),
            route: ROUTE.to_owned(),
            status: status.as_u16(),
            code: error.code.as_str().to_owned(),
            message: error.message.clone(),
            latency_ms: milliseconds(start.elapsed().as_secs_f64() * 1e3),
            at: Utc::now(),
        });
    }
}

impl ToolCaller {
    fn of(around: &Parts) -> Result<Self> {
        let extensions = &around.extensions;
        match (extensions.get::<Identity>(), extensions.get::<RequestId>(), extensions.get::<FinishFlag>()) {
            (Some(identity), Some(request_id), Some(finish)) => Ok(Self {
                identity: identity.clone(),
                request_id: request_id.clone(),
                finish: finish.clone(),
            }),
            _ => Err(Error::internal("a tool was called outside access control")),
        }
    }

    /// # Errors
    /// `VALIDATION_FAILED` for an idempotency key that is not visible ASCII.
    fn request(&self, tool: McpTool, request: ToolRequest) -> Result<Request> {
        let ToolRequest { body, idempotency_key } = request;
        let mut request = Request::new(Body::from(body));
        *request.method_mut() = Method::POST;
        *request.uri_mut() = tool.path().parse().map_err(Error::internal)?;
        let headers = request.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if let Some(key) = idempotency_key {
            let key = HeaderValue::from_str(&key).map_err(|_| {
                Error::invalid("idempotency_key", "must be 1 to 255 visible ASCII characters")
            })?;
            headers.insert("idempotency-key", key);
        }
        let extensions = request.extensions_mut();
        extensions.insert(self.identity.clone());
        extensions.insert(self.request_id.clone());
        extensions.insert(self.finish.clone());
        Ok(request)
    }
}
