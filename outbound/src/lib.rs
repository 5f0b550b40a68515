//! Clients of other servers: downloads of images by URL, webhooks, and remote decision models. Implements ports of the domain.

pub mod backend;
mod egress;
pub mod fetch;
pub mod tls;
pub mod webhook;
