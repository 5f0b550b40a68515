//! `POST /v1/moderations`: verdicts on texts, as OpenAI's clients ask for them.

mod handlers;
mod shape;

pub(crate) use handlers::*;
