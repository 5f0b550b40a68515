//! An agent: the official client with a key.

use rmcp::{
    RoleClient, ServiceExt,
    model::{CallToolRequestParams, CallToolResult, ReadResourceRequestParams},
    service::{RunningService, ServiceError},
    transport::{StreamableHttpClientTransport, streamable_http_client::StreamableHttpClientTransportConfig},
};
use serde_json::{Value, json};

use crate::harness::{Server, client};

/// A connected client.
pub(crate) struct Agent(RunningService<RoleClient, ()>);

impl Agent {
    /// Connects to `/mcp`, which must succeed.
    pub(crate) async fn connect(server: &Server, key: &str) -> Self {
        let config = StreamableHttpClientTransportConfig::with_uri(format!("{}/mcp", server.base_url));
        let http = client().build().unwrap();
        let transport = StreamableHttpClientTransport::with_client(http, config.auth_header(key));
        Self::new(().serve(transport).await.unwrap())
    }

    pub(super) fn new(client: RunningService<RoleClient, ()>) -> Self {
        Self(client)
    }

    /// The tools that the server lists, as JSON.
    pub(super) async fn tools(&self) -> Vec<Value> {
        let tools = self.0.list_all_tools().await.unwrap();
        tools.iter().map(|tool| serde_json::to_value(tool).unwrap()).collect()
    }

    /// The URIs and names of the resources that the server lists.
    pub(super) async fn resources(&self) -> Vec<(String, String)> {
        let resources = self.0.list_all_resources().await.unwrap().into_iter();
        resources.map(|resource| (resource.uri, resource.name)).collect()
    }

    /// The JSON of a resource.
    pub(super) async fn read(&self, uri: &str) -> Result<Value, ServiceError> {
        let read = self.0.read_resource(ReadResourceRequestParams::new(uri)).await?;
        let contents = serde_json::to_value(&read.contents[0]).unwrap();
        assert_eq!((&contents["uri"], &contents["mimeType"]), (&json!(uri), &json!("application/json")));
        Ok(serde_json::from_str(contents["text"].as_str().unwrap()).unwrap())
    }

    /// Calls a tool.
    pub(super) async fn call(&self, tool: &str, arguments: Value) -> Result<CallToolResult, ServiceError> {
        let arguments = arguments.as_object().cloned().unwrap();
        self.0.call_tool(CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments)).await
    }

    /// The answer of a tool, which must succeed.
    pub(super) async fn answer(&self, tool: &str, arguments: Value) -> Value {
        let result = self.call(tool, arguments).await.unwrap();
        assert_eq!(result.is_error, Some(false), "{result:?}");
        content(result)
    }

    /// The error of a tool: its body, which must have this code.
    pub(crate) async fn refusal(&self, tool: &str, arguments: Value, code: &str) -> Value {
        let result = self.call(tool, arguments).await.unwrap();
        assert_eq!(result.is_error, Some(true), "{result:?}");
        let body = content(result);
        assert_eq!(body["code"], code, "{body}");
        body
    }
}

/// The structured content, which the text must repeat for clients that read no other.
fn content(result: CallToolResult) -> Value {
    let text = result.content[0].as_text().unwrap().text.clone();
    let structured = result.structured_content.unwrap();
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), structured);
    structured
}
