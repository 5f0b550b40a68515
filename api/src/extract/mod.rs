//! What handlers ask of a request.

mod caller;
mod json;

pub(crate) use caller::Asker;
pub(crate) use json::ApiJson;
