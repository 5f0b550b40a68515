//! Clients of other servers: downloads of what users name by URL, and decision servers that answer in a model's place.
//! Implements ports of the domain; decides and stores nothing itself.

pub mod backend;
pub mod fetch;
pub mod tls;
