//! The files of the lock in the models' folder, hashed now. Changes nothing.

use std::{io, path::Path};

use super::{
    hash::hash_file,
    lock::{Lock, Locked, manifest_of, stem_of},
};

/// A file of the lock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Installed {
    /// Its name without its ending, such as `nsfwjs-mobilenet-v2`.
    pub name: String,
    /// The version of its package.
    pub version: String,
    /// Its name in the models' folder.
    pub file: String,
    /// Its size, 0 when it is missing.
    pub bytes: u64,
    /// Its SHA-256 in hexadecimal, empty when it is missing.
    pub sha256: String,
    /// Whether it is what the lock says.
    pub state: State,
    /// Whether Gavel works without it.
    pub optional: bool,
}

/// Whether a file is what the lock says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// It is.
    Intact,
    /// It, or the JSON file of a classifier, is not there.
    Missing,
    /// It, or the JSON file of a classifier, is another: which one, and how it differs.
    Altered(String),
}

impl State {
    /// Such as `intact`.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        match self {
            State::Intact => "intact",
            State::Missing => "missing",
            State::Altered(_) => "altered",
        }
    }
}

/// Every file of the lock for this machine, in its order. A folder that is missing is one without files.
///
/// # Errors
/// A lock of another shape, or a file that cannot be read.
pub fn installed(models_dir: &Path) -> Result<Vec<Installed>, String> {
    let lock = Lock::of_this_machine()?;
    let mut all = Vec::new();
    for (package, locked) in lock.files() {
        let hashed = hash_file(models_dir, &locked.file)?;
        let state = state(models_dir, locked, hashed.as_ref())?;
        let (bytes, sha256) = hashed.unwrap_or_default();
        let (version, file) = (package.version.clone(), locked.file.clone());
        let name = stem_of(&file).to_owned();
        all.push(Installed { name, version, file, bytes, sha256, state, optional: package.optional });
    }
    Ok(all)
}

/// Refuses files that the lock names and that are others, before anything reads them. One that is missing, or that the
/// lock does not name, passes.
///
/// # Errors
/// Says how the first of them differs.
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

/// How the file of `locked`, of that size and hash, and its manifest compare with the lock.
fn state(models_dir: &Path, locked: &Locked, hashed: Option<&(u64, String)>) -> Result<State, String> {
    let Some((bytes, found)) = hashed else { return Ok(State::Missing) };
    if *found != locked.sha256 {
        let (file, expected) = (&locked.file, &locked.sha256);
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
