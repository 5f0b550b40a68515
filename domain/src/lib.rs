//! The domain: moderation, decision inference, Judges, accounts and billing. Depends on no HTTP server or client, no
//! Redis and no model runtime.

pub mod account;
pub mod actor;
pub mod agreement;
pub mod amount;
pub mod api_key;
pub mod audit;
pub mod batch;
pub mod billing;
pub mod checkpoint;
pub mod credits;
pub mod database;
pub mod dataset;
pub mod email;
pub mod error;
pub mod evaluation;
pub mod events;
pub mod flow;
pub mod id;
pub mod idempotency;
pub mod inference;
pub mod job;
mod json_bytes;
pub mod judge;
pub mod long_numbers;
pub mod moderation;
pub mod moderation_log;
pub mod network;
pub mod page;
pub mod password;
pub mod pricing;
pub mod round;
pub mod sample;
mod search;
pub mod session;
mod settings;
mod shared_reads;
pub mod slots;
pub mod token;
pub mod webhook;

pub use error::{Code, Detail, EngineError, Error, Result};
pub use flow::Flow;
pub use settings::Settings;
