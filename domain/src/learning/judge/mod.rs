//! Judges: named, stored questions with a version per change, and inference through them.

mod active;
mod changes;
mod compiled;
mod draft;
mod inference;
mod judges;
mod validate;

pub use crate::learning::owner::{Judge, JudgeVersion, questions};
pub(crate) use active::ActiveJudge;
pub use changes::{JudgeChange, JudgeFilter, NewJudge};
pub use draft::{InferenceDraft, ValidDraft, ValidDrafts};
pub use inference::JudgeInference;
pub(crate) use inference::answer;
pub use judges::Judges;
pub(crate) use validate::validate_recordable;
