//! The HTTP surface: reads requests, calls the domain, writes answers. Knows no table and decides nothing.

mod access;
mod agreement;
mod app;
mod arrival;
mod caller;
mod client_address;
mod connections;
mod cookie;
mod cors;
mod dashboard;
mod deadline;
mod drain;
mod error;
mod evaluated_model;
mod evicting_slots;
mod extract;
mod graphql;
mod identity;
mod open_streams;
mod openapi;
mod process_status;
mod rate_limit;
mod request;
mod rest;
mod routes;
mod server;
mod settings;
mod slots;

pub use app::App;
pub use graphql::sdl as graphql_schema;
pub use process_status::ProcessStatus;
pub use rate_limit::RateLimiter;
pub use rest::RestItems;
pub use routes::{openapi_document as openapi, operations_router, router};
pub use server::{ConnectionLimits, serve};
pub use settings::{ApiSettings, InvalidSetting};
