//! The audit log: who changed what.

mod action;
mod log;

pub use action::Action;
pub use log::{COMMAND_LINE, Change, Entry, count, page};
pub(crate) use log::{begin, go_on, write};
