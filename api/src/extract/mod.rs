//! What handlers ask of a request.

mod actor;
mod caller;
mod coding;
mod json;

mod picture;
mod place;

pub(crate) use actor::Manager;
pub(crate) use caller::Asker;
pub(crate) use coding::{Decoded, plain};
pub(crate) use json::{ApiJson, one_of, present};
pub(crate) use picture::JsonOrForm;
pub(crate) use place::{ImagePermits, Place};
