//! `POST /api/v1/moderate/text` and `/text/batch`. A single message is a batch of one.

mod context;
mod explanation;
mod handlers;
mod personal_data;
mod plain_rules;
mod redacted;
mod second_opinion;
mod shape;

pub(crate) use handlers::*;
pub use shape::{PolicyUsed, RecommendedAction};
