//! `gavel moderate`: runs the moderation engines on the command line, without a server and without a charge.

mod command;
mod image;
mod text;

pub(super) use command::Moderate;
