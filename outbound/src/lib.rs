//! Clients of other servers, which implement ports of the domain: image downloads, webhooks, e-mail, remote decision
//! models, and the channel memory in Redis.

pub mod backend;
pub mod channel_memory;
mod egress;
pub mod fetch;
pub mod mail;
pub mod otlp;
pub mod reach;
mod retry_after;
pub mod tls;
mod trace_context;
pub mod webhook;
