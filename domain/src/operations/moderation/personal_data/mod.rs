//! Personal data in a message, found by its format and its check digits: no model is asked.

mod checks;
mod found;
mod national_id;
mod patterns;
mod phone;

pub use found::{PersonalData, PersonalDataKind, find, redact};
