//! Datasets: the samples of a Judge, listed, labelled, reviewed, measured, exported, imported and purged. Every
//! function is limited to one account; samples of another account are not found.

mod change;
mod chunk;
mod edit;
pub mod export;
mod history;
pub mod import;
mod instructions;
mod label;
mod page;
mod purge;
mod questions;
mod review;
mod sample;
mod selection;
pub mod stats;
mod undo;

pub use crate::learning::sample::SampleFilter;
pub use change::Changed;
pub use history::{LabelChange, LabelPage, histories, history_counts};
pub use instructions::{VersionKey, instructions};
pub use label::reclassify;
pub(crate) use label::{Relabeling, relabel};
pub use page::{
    AnswerFilter, FoundPages, SampleOrder, SamplePage, SampleQuery, StateText, counts, find_pages,
};
pub use purge::purge;
pub(crate) use purge::remove_all;
pub use purge::remove_older;
pub use review::{claim, claim_next, release};
pub use sample::{Claim, Sample, SampleAnswer, SamplePosition, Truth, find, find_many};
pub use selection::Selection;
pub use undo::undo;
