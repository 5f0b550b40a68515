//! What can be changed, one file a noun; `schema.rs` merges them. Each takes one `input` and answers with a payload that has
//! `userErrors`.

mod judge;
mod session;

pub(crate) use judge::JudgeMutation;
pub(crate) use session::SessionMutation;
