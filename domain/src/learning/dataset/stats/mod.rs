//! Statistics of datasets: counts, credits, latencies, agreement with ground truth, calibration. The database
//! aggregates; the code here computes on its sums and reads no sample.

mod agreement;
mod answers;
mod latency;
mod moderation;
mod select;
mod shadow;
mod statistics;
mod threshold;
mod volume;

pub use answers::KeyCounts;
pub use latency::Latency;
pub use moderation::{ModerationDay, ModerationGroup, ModerationHour, ModerationInsights, Part, Term};
pub use shadow::{ShadowOutcome, ShadowVersion};
pub use statistics::Statistics;
pub use threshold::{Share, Threshold, ThresholdAim, ThresholdQuery};
pub use volume::{DayVolume, Volume};
