//! What can be asked, one file a noun; `schema.rs` merges them.

mod account;
mod judge;

pub(crate) use account::AccountQuery;
pub(crate) use judge::JudgeQuery;
