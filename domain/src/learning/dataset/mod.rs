//! Datasets: the samples of a Judge or of a moderation log, listed, labelled, reviewed, measured, exported, imported
//! and purged. Every method is limited to one account; samples of another account are not found.

mod assign;
mod change;
pub(crate) mod chunk;
mod datasets;
mod edit;
pub mod export;
mod history;
pub mod import;
mod instructions;
mod label;
mod order;
mod page;
mod purge;
mod questions;
mod review;
mod sample;
mod selection;
pub mod stats;
mod undo;

pub use crate::learning::{
    owner::DatasetOwner,
    sample::{ModerationFilter, ModerationRecord, SampleFilter},
};
pub use change::Changed;
pub use datasets::{Datasets, MAX_VERSIONS};
pub use history::{LabelChange, LabelPage};
pub use instructions::VersionKey;
pub(crate) use label::{Relabeling, require_note};
pub use order::{SampleOrder, SamplePosition};
pub use page::{AnswerFilter, FoundPages, SamplePage, SampleQuery, StateText};
pub use sample::{Claim, Sample, SampleAnswer, Truth};
pub use selection::Selection;
