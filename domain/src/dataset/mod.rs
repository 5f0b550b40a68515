//! What Judges saw: samples, their answers and their ground truth. Everything here is one account's; another's is not found.

mod filter;
mod record;

pub use filter::SampleFilter;
pub(crate) use record::insert;
pub use record::{NewAnswer, NewSample, Source, content_hash};
