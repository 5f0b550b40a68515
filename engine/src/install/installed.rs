//! What is in the models' folder: the files of the lock, hashed now, and the operator's own models. Changes nothing.

use std::{collections::BTreeSet, fs::File, io, path::Path};

use sha2::{Digest, Sha256};

use super::lock::{Given, Lock};
use crate::image::manifest::Manifest;

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

/// A model that the lock does not name: `NAME.onnx` with `NAME.json` beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Own {
    /// NAME.
    pub name: String,
    /// The version that its JSON file states, or what is wrong with that file.
    pub version: Result<String, String>,
    /// The ONNX file.
    pub file: String,
    /// Its size.
    pub bytes: u64,
    /// Its SHA-256 in hexadecimal.
    pub sha256: String,
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
    for package in &lock.packages {
        for given in &package.gives {
            let hashed = hash(models_dir, &given.file)?;
            let state = state(models_dir, given, hashed.as_ref())?;
            let (bytes, sha256) = hashed.unwrap_or_default();
            let (name, version, file) = (given.stem().into(), package.version.clone(), given.file.clone());
            all.push(Installed { name, version, file, bytes, sha256, state, optional: package.optional });
        }
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
    let given = lock.packages.iter().flat_map(|package| &package.gives);
    for given in given.filter(|given| files.contains(&given.file.as_str())) {
        let hashed = hash(models_dir, &given.file)?;
        if let State::Altered(how) = state(models_dir, given, hashed.as_ref())? {
            return Err(how);
        }
    }
    Ok(())
}

/// The operator's own models, by name.
///
/// # Errors
/// A lock of another shape, or a file that cannot be read.
pub fn own(models_dir: &Path) -> Result<Vec<Own>, String> {
    let lock = Lock::of_this_machine()?;
    let locked: BTreeSet<_> =
        lock.packages.iter().flat_map(|package| &package.gives).map(Given::stem).collect();
    let mut names = names(models_dir).map_err(|error| format!("{}: {error}", models_dir.display()))?;
    names.retain(|name| !locked.contains(name.as_str()));
    let mut all = Vec::new();
    for name in names {
        let file = format!("{name}.onnx");
        let Some((bytes, sha256)) = hash(models_dir, &file)? else { continue };
        let manifest = Manifest::read(models_dir, &name);
        let version = manifest.map(|manifest| manifest.version).map_err(|error| error.to_string());
        all.push(Own { name, version, file, bytes, sha256 });
    }
    Ok(all)
}

/// How the file of `given`, of that size and hash, and its manifest compare with the lock.
fn state(models_dir: &Path, given: &Given, hashed: Option<&(u64, String)>) -> Result<State, String> {
    let Some((bytes, found)) = hashed else { return Ok(State::Missing) };
    if *found != given.sha256 {
        let (file, expected) = (&given.file, &given.sha256);
        let sizes = format!("{} and {bytes} bytes", given.bytes);
        return Ok(State::Altered(format!("{file} has the SHA-256 {found} instead of {expected} ({sizes})")));
    }
    let Some((file, expected)) = given.manifest() else { return Ok(State::Intact) };
    match std::fs::read(models_dir.join(&file)) {
        Ok(found) if found == expected.as_bytes() => Ok(State::Intact),
        Ok(_) => Ok(State::Altered(format!(
            "{file} has another text; a copy under another name is yours to change"
        ))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(State::Missing),
        Err(error) => Err(format!("{file}: {error}")),
    }
}

/// The names of all `NAME.json`, sorted.
fn names(models_dir: &Path) -> io::Result<BTreeSet<String>> {
    let entries = match models_dir.read_dir() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(BTreeSet::new()),
        entries => entries?,
    };
    let mut names = BTreeSet::new();
    for entry in entries {
        let name = entry?.file_name().to_string_lossy().into_owned();
        names.extend(name.strip_suffix(".json").filter(|name| !name.starts_with('.')).map(str::to_owned));
    }
    Ok(names)
}

/// Size and SHA-256 of a file; nothing when there is none.
fn hash(models_dir: &Path, file: &str) -> Result<Option<(u64, String)>, String> {
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
