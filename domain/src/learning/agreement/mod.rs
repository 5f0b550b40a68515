//! How well answers agree with ground truths: metrics by key, their intervals, and the comparison of two models on the
//! same samples. Pure.

mod by_key;
mod compare;
mod doubt;
mod graded_answer;
mod measures;
mod metrics;
mod significance;

pub use by_key::{ComparedKey, compare_keys, question_metrics};
pub use compare::{Difference, MIN_SAMPLES, Pair, Verdict, difference, verdict};
pub use doubt::{changed, doubt};
pub use graded_answer::{GradedAnswer, is_value_of};
pub(crate) use measures::BINS;
pub use measures::{Agreement, Bin, Calibration, Cell, Class, Confusion, Labelled};
pub use metrics::{ConfusionCell, KeyMetrics, metrics};
pub use significance::{Interval, sign_test, wilson};
