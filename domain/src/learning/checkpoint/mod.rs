//! Checkpoints: a Judge's own heads, trained on the ground truths of its samples, compared with the live model on samples
//! that were held out, and activated by hand or when they are better.

mod activate;
mod artefacts;
mod control;
mod ended_event;
mod hold_out;
mod outcome;
mod read;
mod snapshot;
mod store;
mod submit;
mod train;

pub use activate::{activate, deactivate};
pub use artefacts::Artefacts;
pub(crate) use artefacts::erase;
pub use hold_out::{KeyComparison, Metrics};
pub use outcome::CheckpointTable;
pub(crate) use read::{Chunks, LabelledSample};
pub(crate) use snapshot::{Content, Watermark, contents, watermark};
pub use store::{
    Checkpoint, CheckpointEvent, CheckpointFilter, Details, count_events, counts, details, details_bytes,
    events, find, find_many, pages,
};
pub use submit::{NewCheckpoint, cancel, submit};
pub use train::TrainCheckpoint;
