//! SHA-256 of bytes and of files.

use std::{fs::File, io, path::Path};

use sha2::{Digest, Sha256};

use super::error::ModelFileError;

/// The SHA-256 of bytes, in hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    format!("{:x}", Sha256::digest(bytes))
}

/// The size and the SHA-256 of a file; `None` when it does not exist.
///
/// # Errors
/// A file that cannot be read.
pub(crate) fn hash_file(models_dir: &Path, file: &str) -> Result<Option<(u64, String)>, ModelFileError> {
    let path = models_dir.join(file);
    match hash(&path) {
        Ok(hashed) => Ok(Some(hashed)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(ModelFileError::Read { path, error }),
    }
}

fn hash(path: &Path) -> io::Result<(u64, String)> {
    let mut hasher = Sha256::new();
    let bytes = io::copy(&mut File::open(path)?, &mut hasher)?;
    Ok((bytes, format!("{:x}", hasher.finalize())))
}
