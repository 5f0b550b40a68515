//! Compares the files in the models' folder with the lock. Changes nothing.

use std::{io, path::Path};

use super::{
    error::ModelFileError,
    hash::hash_file,
    lock::{Lock, LockedFile, manifest_of, stem_of},
};

/// A file that the lock names, as it is on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstalledFile {
    /// The file's stem, such as `nsfwjs-mobilenet-v2`.
    pub name: String,
    /// The package's version.
    pub version: String,
    pub file: String,
    /// 0 when it is missing.
    pub bytes: u64,
    /// In hexadecimal; empty when it is missing.
    pub sha256: String,
    pub state: FileState,
    /// Gavel works without it.
    pub optional: bool,
}

/// How a file compares with the lock.
#[derive(Clone, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum FileState {
    Intact,
    /// The file, or a classifier's manifest, does not exist.
    Missing,
    /// The file, or a classifier's manifest, differs; says which one and how.
    Altered(String),
}

/// Hashes every file that the lock names for this machine, in the lock's order. A missing folder counts as an empty
/// one.
///
/// # Errors
/// A lock that cannot be parsed, or a file that cannot be read.
pub fn installed(models_dir: &Path) -> Result<Vec<InstalledFile>, ModelFileError> {
    let lock = Lock::of_this_machine()?;
    let mut all = Vec::new();
    for (package, locked) in lock.files() {
        let hashed = hash_file(models_dir, &locked.file)?;
        let state = state(models_dir, locked, hashed.as_ref())?;
        let (bytes, sha256) = hashed.unwrap_or_default();
        let version = package.version.clone();
        let file = locked.file.clone();
        let name = stem_of(&file).to_owned();
        all.push(InstalledFile { name, version, file, bytes, sha256, state, optional: package.optional });
    }
    Ok(all)
}

/// Checks the hashes of `files` before anything parses them. Accepts files that are missing or not in the lock.
///
/// # Errors
/// The first file that differs, and how.
pub fn check(models_dir: &Path, files: &[&str]) -> Result<(), ModelFileError> {
    let lock = Lock::of_this_machine()?;
    for (_, locked) in lock.files().filter(|(_, locked)| files.contains(&locked.file.as_str())) {
        let hashed = hash_file(models_dir, &locked.file)?;
        if let FileState::Altered(how) = state(models_dir, locked, hashed.as_ref())? {
            return Err(ModelFileError::Altered(how));
        }
    }
    Ok(())
}

/// Compares a file's hash, and its manifest if it has one, with the lock. `hashed` is the file's size and hash.
fn state(
    models_dir: &Path,
    locked: &LockedFile,
    hashed: Option<&(u64, String)>,
) -> Result<FileState, ModelFileError> {
    let Some((bytes, found)) = hashed else { return Ok(FileState::Missing) };
    if *found != locked.sha256 {
        let file = &locked.file;
        let expected = &locked.sha256;
        let sizes = format!("{} and {bytes} bytes", locked.bytes);
        return Ok(FileState::Altered(format!(
            "{file} has the SHA-256 {found} instead of {expected} ({sizes})"
        )));
    }
    let Some((file, expected)) = manifest_of(&locked.file) else { return Ok(FileState::Intact) };
    let path = models_dir.join(&file);
    match std::fs::read(&path) {
        Ok(found) if found == expected.as_bytes() => Ok(FileState::Intact),
        Ok(_) => Ok(FileState::Altered(format!(
            "{file} has been changed; to use your own manifest, copy the model under another name"
        ))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(FileState::Missing),
        Err(error) => Err(ModelFileError::Read { path, error }),
    }
}
