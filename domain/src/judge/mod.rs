//! Judges: named, stored questions, whose every change is a version, and requests that go through one.

mod infer;
mod store;
mod validate;

pub use infer::{InferenceDraft, ValidDraft, infer};
pub(crate) use store::lock;
pub use store::{
    Judge, JudgeChange, JudgeFilter, NewJudge, Version, archive, count, create, find, find_many, list,
    questions, update, version, versions,
};
pub(crate) use validate::recordable;
