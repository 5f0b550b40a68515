//! GraphQL, where people and front ends manage: `/graphql` and `/graphql/ws`. One file a noun in `query/`, `mutation/` and
//! `model/`. Resolvers call `domain` and shape what it says; they know no table.

mod cookie;
mod emptied;
mod error;
pub(crate) mod http;
mod limits;
mod load;
mod model;
mod moment;
mod mutation;
mod nulls;
mod operation;
mod order;
mod page;
mod present;
mod query;
mod roots;
mod schema;
mod subscription;
mod variables;
pub(crate) mod visitor;
pub(crate) mod ws;

pub use schema::sdl;
pub(crate) use schema::{GavelSchema, Limits, build};
