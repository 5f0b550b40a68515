//! Verifies the files in the models' folder by the hashes of `models/models.lock`, which is embedded in the binary.
//! Fetches and writes nothing; the crate `setup` does.

mod error;
mod hash;
mod installed;
mod lock;

pub use error::ModelFileError;
pub use hash::sha256;
pub use installed::{FileState, InstalledFile, check, installed};
pub use lock::{LOCK, is_for_this_machine, manifest_of, stem_of};

pub(crate) use hash::hash_file;
pub(crate) use lock::Lock;
