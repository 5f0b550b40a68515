//! The REST surface, as a client sees it.

mod access;
mod backends;
mod bodies;
mod channels;
mod checkpoints;
mod compat;
mod connections;
mod credits;
mod dataset;
mod http2;
mod idempotency;
mod image;
mod inference;
mod judges;
mod mutations;
mod order;
mod overload;
mod paths;
mod policies;
mod privacy;
mod races;
mod rate_limits;
mod refusals;
mod texts;
mod wire;
