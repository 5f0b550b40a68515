//! The tables as SeaORM entities, one file each. Only rows: no rules, no JSON shapes, no GraphQL types.
//!
//! Ids are TypeIDs stored as text, so that `psql` shows the ids of the API. Amounts are integer milli-credits.
//! Times are UTC.

pub mod account;
pub mod api_key;
pub mod artefact;
pub mod audit;
pub mod backend_calibration;
pub mod batch;
pub mod batch_chunk;
pub mod checkpoint;
pub mod checkpoint_event;
pub mod evaluation;
pub mod evaluation_answer;
pub mod failed_request;
pub mod file;
pub mod file_chunk;
pub mod hold;
pub mod idempotency;
pub mod invite;
pub mod job;
pub mod judge;
pub mod judge_version;
pub mod label;
pub mod ledger;
pub mod moderation_policy;
pub mod moderation_policy_version;
pub mod password_reset;
pub mod price;
pub mod sample;
pub mod sample_answer;
pub mod saved_view;
pub mod schedule;
pub mod secret;
pub mod session;
pub mod storage;
pub mod user;
pub mod webhook_delivery;
pub mod webhook_endpoint;
pub mod worker;
