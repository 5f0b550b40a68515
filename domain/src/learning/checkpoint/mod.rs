//! Checkpoints: a Judge's own heads, trained on the ground truths of its samples, compared with the live model on
//! samples that were held out, and activated by hand or when they are better.

mod activate;
mod artefacts;
mod cancel;
mod checkpoints;
mod control;
mod ended;
mod hold_out;
mod outcome;
mod read;
mod recalibrate;
mod server_answers;
mod servers;
mod snapshot;
mod store;
mod submit;
mod train;
mod training_split;

pub use artefacts::Artefacts;
pub(crate) use artefacts::erase;
pub use checkpoints::Checkpoints;
pub use hold_out::{KeyComparison, Metrics};
pub use outcome::CheckpointTable;
pub(crate) use read::{Chunks, LabelledSample};
pub use recalibrate::CorrectionKind;
pub use servers::ServerComparison;
pub(crate) use snapshot::{Content, SampleSnapshot, Watermark, contents, watermark};
pub use store::{Checkpoint, CheckpointEvent, CheckpointFilter, Details};
pub use submit::NewCheckpoint;
pub use train::TrainCheckpoint;
pub(crate) use training_split::SeenContents;
