//! What Judges saw: samples, their answers and their ground truth. Everything here is one account's; another's is not found.

mod asked;
mod choices;
mod edit;
pub mod export;
mod filter;
mod history;
pub mod import;
mod label;
mod page;
mod purge;
mod record;
mod review;
mod sample;
mod selection;
pub mod stats;
mod together;

pub use asked::{VersionKey, instructions};
pub use filter::SampleFilter;
pub use history::{LabelChange, LabelPage, histories, history_counts};
pub use label::{Changed, reclassify, undo};
pub use page::{AnswerFilter, SampleOrder, SamplePage, SampleQuery, counts, page, pages};
pub use purge::purge;
pub(crate) use record::insert;
pub use record::{NewAnswer, NewSample, Source, content_hash};
pub use review::{claim, claim_next, release};
pub use sample::{Claim, Place, Sample, SampleAnswer, Truth, find, find_many};
pub use selection::Selection;
