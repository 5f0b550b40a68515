//! The REST surface, as a client sees it.

mod access;
mod backends;
mod bodies;
mod checkpoints;
mod compat;
mod connections;
mod cors;
mod credits;
mod dataset;
mod examples;
mod http2;
mod idempotency;
mod image;
mod inference;
mod judges;
mod mutations;
mod order;
mod overload;
mod paths;
mod privacy;
mod races;
mod rate_limits;
mod refusals;
mod sessions;
mod texts;
mod wire;
