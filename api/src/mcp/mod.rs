//! The Model Context Protocol at `/mcp`, by streamable HTTP without sessions: tools for agents, each of which sends a
//! request to a route of the REST API, and Judges as resources.

mod http;
mod input_schema;
mod judge_resources;
mod server;
mod tool;
mod tool_routes;

pub(crate) use http::handlers;
pub(crate) use tool::McpTool;
