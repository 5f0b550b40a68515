//! Clients of other servers, which implement ports of the domain: image downloads, webhooks, e-mail, remote decision
//! models, and the channel memory in Redis.

pub mod backend;
pub mod channel_memory;
mod egress;
pub mod fetch;
pub mod mail;
mod retry_after;
pub mod tls;
pub mod webhook;
