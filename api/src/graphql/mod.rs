//! GraphQL for people and front ends: `/graphql` and `/graphql/ws`. Types, queries and mutations have one file for each
//! noun in `model/`, `query/` and `mutation/`. Resolvers call `domain` and shape its results; they know no table.

mod admission;
mod authentication;
mod byte_budget;
mod conformance;
mod context;
mod current_actor;
mod date_time;
mod document_limits;
mod error;
mod graphiql;
mod held_body;
pub(crate) mod http;
mod introspection;
mod loaders;
mod model;
mod moderator;
mod mutation;
mod operation;
mod pagination;
mod query;
mod schema;
mod state;
mod subscription;
pub(crate) mod ws;

pub(crate) use authentication::authenticate;
pub(crate) use graphiql::serve_to_browsers;
pub use schema::sdl;
pub(crate) use state::GraphqlState;
