//! Export and import of a Judge's dataset.

mod asking;
mod duplicates;
mod export;
mod formats;
mod over_graphql;
mod refusals;
mod round_trip;
mod secrets;
mod slow;
mod who;
