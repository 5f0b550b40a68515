//! The audit log: who changed what.

mod action;
mod log;

pub use action::Action;
pub use log::{AuditEntry, AuditLog, COMMAND_LINE, Change};
pub(crate) use log::{begin, go_on, write};
