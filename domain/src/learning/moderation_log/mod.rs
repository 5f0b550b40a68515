//! The moderation logs of accounts: verdicts are recorded as samples of a Judge of its own kind, and moderators correct them. All
//! that can be done with a Judge's dataset can be done with a log.

mod feedback;
mod logs;
mod questions;
mod retention;

pub use feedback::{Feedback, Given, give};
pub use logs::ModerationLogs;
pub use retention::prune;
