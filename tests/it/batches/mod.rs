//! Bulk batches: submitted over REST and GraphQL, run by workers, and charged exactly.

mod asking;
mod interrupted;
mod over_graphql;
mod queue;
mod refusals;
mod submitted;

pub(crate) use asking::{cancel, ended, questions, submitted, text};
