//! Parses the files and hashes of `models/models.lock`. The packages that they come from are parsed by the crate
//! `setup`.

use serde::Deserialize;

use super::error::ModelFileError;

/// The text of the lock. Its heading documents each field.
pub const LOCK: &str = include_str!("../../../models/models.lock");

#[derive(Debug, Deserialize)]
pub(crate) struct Lock {
    #[serde(rename = "package")]
    packages: Vec<Package>,
}

/// A package's files.
#[derive(Debug, Deserialize)]
pub(super) struct Package {
    pub(super) version: String,
    architecture: Option<String>,
    #[serde(default)]
    pub(super) optional: bool,
    pub(super) gives: Vec<LockedFile>,
}

/// A file with its expected size and hash.
#[derive(Debug, Deserialize)]
pub(super) struct LockedFile {
    pub(super) file: String,
    pub(super) bytes: u64,
    pub(super) sha256: String,
}

impl Lock {
    /// Parses the lock and drops the packages that are not for this machine.
    ///
    /// # Errors
    /// A lock that cannot be parsed.
    pub(crate) fn of_this_machine() -> Result<Self, ModelFileError> {
        let mut lock: Lock = toml::from_str(LOCK)?;
        lock.packages.retain(|package| is_for_this_machine(package.architecture.as_deref()));
        Ok(lock)
    }

    pub(super) fn files(&self) -> impl Iterator<Item = (&Package, &LockedFile)> {
        self.packages.iter().flat_map(|package| package.gives.iter().map(move |file| (package, file)))
    }

    /// Whether the lock has a file with this stem.
    pub(crate) fn names(&self, stem: &str) -> bool {
        self.files().any(|(_, locked)| stem_of(&locked.file) == stem)
    }
}

/// Whether a package is for this machine. `None` stands for any architecture.
pub fn is_for_this_machine(architecture: Option<&str>) -> bool {
    architecture.is_none_or(|architecture| {
        cfg!(all(target_os = "linux", target_env = "gnu")) && architecture == std::env::consts::ARCH
    })
}

/// The name of a file without its extension.
pub fn stem_of(file: &str) -> &str {
    file.rsplit_once('.').map_or(file, |(stem, _)| stem)
}

/// The manifest of one of our classifiers, by the name of its ONNX file: the manifest's file name and text.
pub fn manifest_of(file: &str) -> Option<(String, &'static str)> {
    let stem = stem_of(file);
    let text = match stem {
        "nsfwjs-mobilenet-v2" => include_str!("../../../models/nsfwjs-mobilenet-v2.json"),
        "nsfwjs-mobilenet-v2-mid" => include_str!("../../../models/nsfwjs-mobilenet-v2-mid.json"),
        "nsfwjs-inception-v3" => include_str!("../../../models/nsfwjs-inception-v3.json"),
        _ => return None,
    };
    Some((format!("{stem}.json"), text))
}
