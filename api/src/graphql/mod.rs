//! GraphQL, where people and front ends manage: `/graphql` and `/graphql/ws`. One file a noun in `query/`, `mutation/` and
//! `model/`. Resolvers call `domain` and shape what it says; they know no table.

mod conformance;
pub(crate) mod context;
mod cookie;
mod current_actor;
mod date_time;
mod document_limits;
mod error;
pub(crate) mod http;
mod loaders;
mod model;
mod mutation;
mod operation;
mod pagination;
mod query;
mod schema;
mod subscription;
pub(crate) mod ws;

pub(crate) use context::authenticate;
pub use schema::sdl;
pub(crate) use schema::{GavelSchema, QueryLimits, build};
