//! Work that outlives a request: jobs, and webhooks that tell clients what has ended.

pub mod job;
pub mod webhook;
