//! The audit log: who changed what.

mod action;
mod log;

pub use action::Action;
pub use log::{AuditLog, COMMAND_LINE, Change, Entry};
pub(crate) use log::{begin, go_on, write};
