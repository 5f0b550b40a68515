//! The test harness: a database per test, the binary as a child process, requests and their answers, and the invariants
//! that every test must keep.

mod authority;
mod both;
mod db;
mod eventually;
mod family;
mod http;
pub(crate) mod inv;
mod name_server;
mod origin;
pub(crate) mod picture;
mod postgres_database;
mod raw_connection;
mod record;
mod redis_server;
mod server;
mod smtp;
mod upstream;
mod upstream_answers;
mod upstream_chat;
mod upstream_decisions;
mod worker_process;

pub(crate) use authority::{Authority, self_signed};
pub(crate) use both::{on_both, on_postgres, on_sqlite, run};
pub(crate) use db::{Account, Db, from_environment};
pub(crate) use eventually::{eventually, eventually_within};
pub(crate) use family::Family;
pub(crate) use http::{Answer, Request, client, milli};
pub(crate) use name_server::{NameAnswer, NameServer};
pub(crate) use origin::{Origin, Step, response};
pub(crate) use raw_connection::RawConnection;
pub(crate) use redis_server::RedisServer;
pub(crate) use server::{Server, ServerOptions, ignoring};
pub(crate) use smtp::MailServer;
pub(crate) use upstream::{Fault, UPSTREAM_COST, UPSTREAM_MODEL, Upstream};
pub(crate) use worker_process::{WorkerProcess, worker_settings};
