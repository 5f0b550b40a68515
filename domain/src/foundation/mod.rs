//! What everything else stands on: errors, the database, who acts and what is recorded of it, events, pages and
//! limits. Knows no credit and no model.

pub mod actor;
pub mod audit;
pub mod database;
pub mod error;
pub mod events;
pub(crate) mod json_bytes;
pub(crate) mod lines;
pub mod long_numbers;
pub mod network;
pub mod page;
pub mod round;
pub(crate) mod search;
pub(crate) mod shared_reads;
pub mod slots;
pub(crate) mod union;
