//! Compares the files in the models' folder with the lock. Changes nothing.

use std::{io, path::Path};

use super::{
    hash::hash_file,
    lock::{Lock, Locked, manifest_of, stem_of},
};

/// A file that the lock names, as it is on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Installed {
    /// The file's stem, such as `nsfwjs-mobilenet-v2`.
    pub name: String,
    /// The package's version.
    pub version: String,
    pub file: String,
    /// 0 when it is missing.
    pub bytes: u64,
    /// In hexadecimal; empty when it is missing.
    pub sha256: String,
    pub state: State,
    /// Gavel works without it.
    pub optional: bool,
}

/// How a file compares with the lock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    Intact,
    /// It, or a classifier's manifest, does not exist.
    Missing,
    /// It, or a classifier's manifest, differs; says which one and how.
    Altered(String),
}

impl State {
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        match self {
            State::Intact => "intact",
            State::Missing => "missing",
            State::Altered(_) => "altered",
        }
    }
}

/// Hashes every file that the lock names for this machine, in the lock's order. A missing folder counts as an empty
/// one.
///
/// # Errors
/// A lock that cannot be parsed, or a file that cannot be read.
pub fn installed(models_dir: &Path) -> Result<Vec<Installed>, String> {
    let lock = Lock::of_this_machine()?;
    let mut all = Vec::new();
    for (package, locked) in lock.files() {
        let hashed = hash_file(models_dir, &locked.file)?;
        let state = state(models_dir, locked, hashed.as_ref())?;
        let (bytes, sha256) = hashed.unwrap_or_default();
        let version = package.version.clone();
        let file = locked.file.clone();
        let name = stem_of(&file).to_owned();
        all.push(Installed { name, version, file, bytes, sha256, state, optional: package.optional });
    }
    Ok(all)
}

/// Checks the hashes of `files` before anything parses them. A file that is missing, or that the lock does not name,
/// passes.
///
/// # Errors
/// The first file that differs, and how.
pub fn check(models_dir: &Path, files: &[&str]) -> Result<(), String> {
    let lock = Lock::of_this_machine()?;
    for (_, locked) in lock.files().filter(|(_, locked)| files.contains(&locked.file.as_str())) {
        let hashed = hash_file(models_dir, &locked.file)?;
        if let State::Altered(how) = state(models_dir, locked, hashed.as_ref())? {
            return Err(how);
        }
    }
    Ok(())
}

/// Compares a file's hash, and its manifest if it has one, with the lock. `hashed` is the file's size and hash.
fn state(models_dir: &Path, locked: &Locked, hashed: Option<&(u64, String)>) -> Result<State, String> {
    let Some((bytes, found)) = hashed else { return Ok(State::Missing) };
    if *found != locked.sha256 {
        let file = &locked.file;
        let expected = &locked.sha256;
        let sizes = format!("{} and {bytes} bytes", locked.bytes);
        return Ok(State::Altered(format!("{file} has the SHA-256 {found} instead of {expected} ({sizes})")));
    }
    let Some((file, expected)) = manifest_of(&locked.file) else { return Ok(State::Intact) };
    match std::fs::read(models_dir.join(&file)) {
        Ok(found) if found == expected.as_bytes() => Ok(State::Intact),
        Ok(_) => Ok(State::Altered(format!(
            "{file} has another text; a copy under another name is yours to change"
        ))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(State::Missing),
        Err(error) => Err(format!("{file}: {error}")),
    }
}
