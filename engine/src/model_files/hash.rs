//! SHA-256 of bytes and of files.

use std::{fs::File, io, path::Path};

use sha2::{Digest, Sha256};

/// SHA-256 in hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    format!("{:x}", Sha256::digest(bytes))
}

/// Size and SHA-256 of a file; nothing when there is none.
///
/// # Errors
/// A file that cannot be read.
pub(crate) fn hash_file(models_dir: &Path, file: &str) -> Result<Option<(u64, String)>, String> {
    let hash = || -> io::Result<_> {
        let mut hasher = Sha256::new();
        let bytes = io::copy(&mut File::open(models_dir.join(file))?, &mut hasher)?;
        Ok((bytes, format!("{:x}", hasher.finalize())))
    };
    match hash() {
        Ok(hashed) => Ok(Some(hashed)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(format!("{}: {error}", models_dir.join(file).display())),
    }
}
