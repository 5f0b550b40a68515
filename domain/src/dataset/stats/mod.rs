//! What datasets come to: counts, credits, latencies, agreement with ground truth, calibration. The database adds up; what
//! is left here is arithmetic on its sums. No sample is read.

mod agreement;
mod answers;
mod latency;
mod measures;
mod select;
mod threshold;
mod volume;

pub use agreement::agreements;
pub use answers::{KeyCounts, answers};
pub use latency::{Latency, latencies};
pub use measures::{Agreement, Bin, Calibration, Cell, Class, Confusion, Labelled};
pub use threshold::{Aim, Share, Threshold, ThresholdAsked, thresholds};
pub use volume::{Day, Volume, volumes};
