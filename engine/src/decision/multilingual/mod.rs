//! The multilingual network: reads a state once, in any of its languages, for all questions.

mod model;
mod networks;
mod request;
mod texts;

pub(super) use model::Multilingual;
pub(super) use networks::Networks;
pub(super) use request::{AskedQuestion, MultilingualRequest};
