//! What can be asked, one file a noun; `schema.rs` merges them.

mod account;
mod judge;
mod sample;
mod viewer;

pub(crate) use account::AccountQuery;
pub(crate) use judge::JudgeQuery;
pub(crate) use sample::SampleQuery;
pub(crate) use viewer::ViewerQuery;
