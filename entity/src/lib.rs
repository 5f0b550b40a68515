//! The tables, one file each, as SeaORM entities. Rows only: no rules, no JSON shapes, no GraphQL types.
//!
//! Ids are TypeIDs kept as text, so that a row read in `psql` carries the id a client saw.
//! Money is integer milli-credits. Times are UTC.

pub mod account;
pub mod api_key;
pub mod hold;
pub mod idempotency;
pub mod ledger;
pub mod price;
pub mod user;
