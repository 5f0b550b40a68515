//! `POST /v1/decisions`: typed questions, as OpenAI's clients ask them.

mod handlers;
mod input;
mod part;
mod question;
mod shape;

pub(crate) use handlers::*;
