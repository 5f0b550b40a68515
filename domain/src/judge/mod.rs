//! Judges: named, stored questions with a version per change, and inference through them.

mod infer;
mod store;
mod validate;

pub(crate) use infer::{ActiveJudge, answer};
pub use infer::{InferenceDraft, ValidDraft, infer};
pub(crate) use store::lock;
pub use store::{
    Judge, JudgeChange, JudgeFilter, NewJudge, Version, archive, count, create, find, find_many, list,
    questions, update, version, versions,
};
pub(crate) use validate::validate_recordable;
