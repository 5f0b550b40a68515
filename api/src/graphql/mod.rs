//! GraphQL, where people and front ends manage: `/graphql` and `/graphql/ws`. One file a noun in `query/`, `mutation/` and
//! `model/`. Resolvers call `domain` and shape what it says; they know no table.

mod error;
mod load;
mod model;
mod mutation;
mod page;
mod query;
mod schema;
mod visitor;

pub use schema::sdl;
pub(crate) use schema::{GavelSchema, Limits, build};
