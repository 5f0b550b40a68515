//! Doxxing: the data of somebody else, posted to expose them. Found by a sum of the log-odds of named cues.

mod cue;
mod find;
mod forms;
mod loose;
mod phrases;
mod weights;

pub use cue::{Cue, CueSet};
pub(super) use find::{cues, find};
