//! The files in the models' folder, held against `models/models.lock`, which is part of the binary. Fetches and writes
//! nothing: that is the crate `setup`'s.

mod hash;
mod installed;
mod lock;

pub use hash::sha256;
pub use installed::{Installed, State, check, installed};
pub use lock::{LOCK, is_for_this_machine, manifest_of, stem_of};

pub(crate) use hash::hash_file;
pub(crate) use lock::Lock;
