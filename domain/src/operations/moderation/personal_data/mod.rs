//! Personal data in a message, found by its format and its check digits, and doxxing, found by cues: no model is asked.

mod announced_streets;
mod beside;
mod checks;
mod doxxing;
mod expression;
mod find;
mod kind;
mod national_id;
mod patterns;
mod phone;
mod postal_address;

pub use doxxing::{Cue as DoxxingCue, CueSet as DoxxingCues};
pub use find::{doxxing_cues, find, find_likely, redact};
pub use kind::{LikelyPersonalData, PersonalData, PersonalDataKind};
