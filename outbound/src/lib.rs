//! Clients of other servers: downloads of images by URL, and remote decision models. Implements ports of the domain.

pub mod backend;
pub mod fetch;
pub mod tls;
