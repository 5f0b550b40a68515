//! Bulk batches: submitted over REST and GraphQL, run by workers, and charged exactly.

pub(crate) mod asking;
mod fairness;
pub(crate) mod interrupted;
mod over_graphql;
mod queue;
mod refusals;
mod slow_backends;
mod submitted;

pub(crate) use asking::{cancel, ended, questions, results, submitted, text};
