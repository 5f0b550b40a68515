//! `models/models.lock`, part of the binary, as far as the files in the models' folder go. Where they come from is read
//! by the crate `setup`.

use serde::Deserialize;

/// The text of the lock; its own heading says what each field means.
pub const LOCK: &str = include_str!("../../../models/models.lock");

/// What the lock says of files.
#[derive(Debug, Deserialize)]
pub(crate) struct Lock {
    #[serde(rename = "package")]
    packages: Vec<Package>,
}

/// One version of several files.
#[derive(Debug, Deserialize)]
pub(super) struct Package {
    pub(super) version: String,
    architecture: Option<String>,
    #[serde(default)]
    pub(super) optional: bool,
    pub(super) gives: Vec<Locked>,
}

/// One file, and what it must be.
#[derive(Debug, Deserialize)]
pub(super) struct Locked {
    pub(super) file: String,
    pub(super) bytes: u64,
    pub(super) sha256: String,
}

impl Lock {
    /// The lock, with those packages alone that are for this machine.
    ///
    /// # Errors
    /// A lock of another shape.
    pub(crate) fn of_this_machine() -> Result<Self, String> {
        let mut lock: Lock = toml::from_str(LOCK).map_err(|error| format!("models.lock: {error}"))?;
        lock.packages.retain(|package| is_for_this_machine(package.architecture.as_deref()));
        Ok(lock)
    }

    /// Each file with its package.
    pub(super) fn files(&self) -> impl Iterator<Item = (&Package, &Locked)> {
        self.packages.iter().flat_map(|package| package.gives.iter().map(move |file| (package, file)))
    }

    /// Whether the lock gives a file of this name, whatever its ending.
    pub(crate) fn names(&self, stem: &str) -> bool {
        self.files().any(|(_, locked)| stem_of(&locked.file) == stem)
    }
}

/// Whether a package of an architecture, or of none in particular, is for this machine.
pub fn is_for_this_machine(architecture: Option<&str>) -> bool {
    architecture.is_none_or(|architecture| {
        cfg!(all(target_os = "linux", target_env = "gnu")) && architecture == std::env::consts::ARCH
    })
}

/// The name of a file without its ending.
pub fn stem_of(file: &str) -> &str {
    file.rsplit_once('.').map_or(file, |(stem, _)| stem)
}

/// For the ONNX file of a classifier, what stands beside it: the name of its manifest, and the text.
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
