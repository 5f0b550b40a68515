//! Statistics of datasets: counts, credits, latencies, agreement with ground truth, calibration. The database
//! aggregates; the code here computes on its sums and reads no sample.

mod agreement;
mod answers;
mod latency;
mod select;
mod threshold;
mod volume;

pub use agreement::agreements;
pub use answers::{KeyCounts, answers};
pub use latency::{Latency, latencies};
pub use threshold::{Aim, Share, Threshold, ThresholdQuery, thresholds};
pub use volume::{Day, Volume, volumes};
