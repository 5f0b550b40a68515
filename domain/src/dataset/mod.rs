//! What Judges saw: samples, their answers and their ground truth. Everything here is one account's; another's is not found.

mod record;

pub(crate) use record::insert;
pub use record::{NewAnswer, NewSample, Source, content_hash};
