//! Judges: named, stored questions with a version per change, and inference through them.

mod infer;
mod moderation_log;
mod store;
mod validate;

pub(crate) use infer::{ActiveJudge, answer};
pub use infer::{InferenceDraft, ValidDraft, infer};
pub use moderation_log::{MAX_RETENTION_DAYS, with_retention};
pub(crate) use moderation_log::{set_moderation_log, upgrade_moderation_log};
pub(crate) use store::lock;
pub use store::{
    Judge, JudgeChange, JudgeFilter, JudgeKind, NewJudge, Version, archive, count, create, find, find_many,
    list, moderation_log, questions, update, version, versions,
};
pub(crate) use validate::validate_recordable;
