//! How well answers agree with ground truths: metrics by key, their intervals, and the comparison of two models on the
//! same samples. Pure; statistics that the database aggregates are in [`crate::learning::dataset::stats`].

mod compare;
mod metrics;
mod outcome;
mod significance;

pub use compare::{Difference, Pair, Verdict, difference, verdict};
pub use metrics::{ConfusionCell, Interval, KeyMetrics, metrics};
pub use outcome::{Outcome, is_value_of};
pub use significance::{sign_test, wilson};
