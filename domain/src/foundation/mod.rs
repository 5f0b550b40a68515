//! What everything else builds on: errors, the database, actors and the audit log, events, pages and limits. Knows
//! neither credits nor models.

pub mod actor;
pub mod allowed_backends;
pub mod audit;
pub(crate) mod canonical_json;
pub(crate) mod combined_queries;
pub mod database;
pub mod deployment_secret;
pub mod error;
pub mod events;
pub mod failed_requests;
pub(crate) mod json_bytes;
pub mod json_schema;
pub(crate) mod lines;
pub mod long_numbers;
pub mod network;
pub(crate) mod objects_only;
pub mod page;
pub mod plural;
pub(crate) mod quota;
pub mod round;
pub(crate) mod search;
pub(crate) mod shared_reads;
pub mod slots;
pub mod tenant;
pub mod traces;
pub(crate) mod turns;
pub(crate) mod unwritable;
pub mod wrong_shape;
