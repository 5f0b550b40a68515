//! Clients of other servers, which implement ports of the domain: image downloads, webhooks, e-mail, remote decision
//! models, the channel memory in Redis, and the MCP of another Gavel.

pub mod backend;
pub mod channel_memory;
mod egress;
pub mod fetch;
pub mod mail;
pub mod mcp_relay;
pub mod otlp;
pub mod reach;
mod retry_after;
pub mod tls;
mod trace_context;
pub mod webhook;
