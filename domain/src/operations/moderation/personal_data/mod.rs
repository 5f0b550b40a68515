//! Personal data in a message, found by its format and its check digits: no model is asked.

mod beside;
mod checks;
mod find;
mod kind;
mod national_id;
mod patterns;
mod phone;
mod postal_address;

pub use find::{find, redact};
pub use kind::{LikelyPersonalData, PersonalData, PersonalDataKind};
