//! The REST surface, as a client sees it.

mod access;
mod bodies;
mod connections;
mod credits;
mod http2;
mod idempotency;
mod image;
mod mutations;
mod order;
mod overload;
mod paths;
mod privacy;
mod races;
mod rate_limits;
mod refusals;
mod texts;
mod wire;
