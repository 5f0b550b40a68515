//! Clients of other servers: downloads of images by URL, webhooks, remote decision models, and Redis' memory of channels. Implements ports of the domain.

pub mod backend;
pub mod channel_memory;
mod egress;
pub mod fetch;
pub mod tls;
pub mod webhook;
