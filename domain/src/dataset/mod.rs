//! Datasets: the samples of a Judge, found, labelled, reviewed, measured, exported, imported and purged. Everything here is
//! one account's; another's is not found.

mod choices;
mod edit;
pub mod export;
mod filter;
mod history;
pub mod import;
mod instructions;
mod label;
mod page;
mod purge;
mod review;
mod sample;
mod selection;
pub mod stats;
mod union;

pub use filter::SampleFilter;
pub use history::{LabelChange, LabelPage, histories, history_counts};
pub use instructions::{VersionKey, instructions};
pub use label::{Changed, reclassify, undo};
pub use page::{AnswerFilter, SampleOrder, SamplePage, SampleQuery, counts, page, pages};
pub use purge::purge;
pub use review::{claim, claim_next, release};
pub use sample::{Claim, Place, Sample, SampleAnswer, Truth, find, find_many};
pub use selection::Selection;
