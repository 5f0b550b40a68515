//! The integration tests: the real binary as a child process, on real SQLite, PostgreSQL and Redis.
//!
//! Every test that needs PostgreSQL (and Redis, for some) ends in `::postgres`; those on SQLite end in `::sqlite`.
//! `scripts/with-services.sh cargo test --workspace --test it` runs all; `-- --skip ::postgres` needs no service.
#![allow(clippy::unwrap_used)]

mod batches;
mod checkpoints;
mod cli;
mod clients;
mod docs;
mod faults;
mod graphql;
mod harness;
mod holds;
mod job_holds;
mod jobs;
mod mcp;
mod rest;
mod schema;
mod traces;
mod webhooks;
