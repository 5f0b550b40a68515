//! The tables as SeaORM entities, one file each, without business rules, JSON shapes or GraphQL types.
//!
//! Ids are TypeIDs in text form, so that a row in `psql` has the id that clients see. Money is in integer
//! milli-credits. Times are UTC.

pub mod account;
pub mod api_key;
pub mod audit;
pub mod hold;
pub mod idempotency;
pub mod invite;
pub mod judge;
pub mod judge_version;
pub mod label;
pub mod ledger;
pub mod price;
pub mod sample;
pub mod sample_answer;
pub mod session;
pub mod user;
