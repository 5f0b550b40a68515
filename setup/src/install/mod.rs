//! Fetches the models that `models/models.lock` names, verifies them and converts them.
//!
//! Everything happens in the folder that the setting `models_dir` names; nothing outside it is written but temporary
//! files. A file that is there and has the hash of the lock is left alone, so that doing it again costs the time of
//! hashing. Nothing is used whose hash is another than the lock's.

mod archive;
mod fetch;
mod lock;
mod make;
mod run;
mod write;

pub use run::install;
