//! `gavel backends`: the backends that the operator has named in the settings.

mod command;
mod questions;

pub(super) use command::Backends;
