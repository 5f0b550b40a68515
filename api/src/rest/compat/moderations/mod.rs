//! `POST /v1/moderations`: verdicts on texts and pictures, as OpenAI's clients ask for them.

mod handlers;
mod input;
mod shape;

pub(crate) use handlers::*;
pub(crate) use input::InputRules;
