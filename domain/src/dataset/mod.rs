//! What Judges saw: samples, their answers and their ground truth. Everything here is one account's; another's is not found.

mod asked;
mod filter;
mod history;
mod page;
mod record;
mod sample;
mod together;

pub use asked::{VersionKey, instructions};
pub use filter::SampleFilter;
pub use history::{LabelChange, LabelPage, histories, history_counts};
pub use page::{AnswerFilter, SampleOrder, SamplePage, SampleQuery, counts, page, pages};
pub(crate) use record::insert;
pub use record::{NewAnswer, NewSample, Source, content_hash};
pub use sample::{Claim, Place, Sample, SampleAnswer, Truth, find, find_many};
