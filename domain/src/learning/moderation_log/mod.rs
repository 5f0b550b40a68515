//! The moderation logs of accounts: verdicts are recorded as samples, and moderators correct them. All that can be done
//! with the dataset of a Judge can be done with a log's.

mod feedback;
mod logs;
mod questions;
mod store;

pub use crate::learning::owner::ModerationLog;
pub use feedback::{Feedback, RecordedFeedback};
pub use logs::{ModerationLogs, prune};
