//! What handlers ask of a request.

mod caller;
mod json;
mod picture;
mod place;

pub(crate) use caller::Asker;
pub(crate) use json::{ApiJson, present};
pub(crate) use picture::JsonOrForm;
pub(crate) use place::Place;
