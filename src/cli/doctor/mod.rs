//! `gavel doctor`: checks the installation, and says what to do.

mod check;
mod command;
mod database;
mod files;
mod models;
mod network;
mod settings;

pub(super) use command::run;
