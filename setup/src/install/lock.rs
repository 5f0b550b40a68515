//! `models/models.lock`, part of the binary: what is fetched, by whom, and what it must be.

use engine::model_files::{LOCK, is_for_this_machine, manifest_of, stem_of};
use serde::Deserialize;

/// The lock; the file's own heading says what each field means.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Lock {
    #[serde(rename = "package")]
    pub(super) packages: Vec<Package>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Package {
    pub(super) client: Client,
    pub(super) name: String,
    pub(super) version: String,
    pub(super) licence: String,
    pub(super) archive: String,
    pub(super) integrity: String,
    architecture: Option<String>,
    #[serde(default)]
    pub(super) optional: bool,
    pub(super) uses: Vec<SourceFile>,
    pub(super) gives: Vec<Output>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Client {
    Npm,
    Pip,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SourceFile {
    pub(super) path: String,
    pub(super) sha256: String,
}

/// Its size is for `engine` to read.
#[derive(Debug, Deserialize)]
pub(super) struct Output {
    pub(super) file: String,
    pub(super) by: Conversion,
    pub(super) from: String,
    pub(super) sha256: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Conversion {
    Classifier,
    FaceDetector,
    FaceAge,
    // As the lock has it.
    #[serde(rename = "words")]
    WordEmbeddings,
    Copy,
}

impl Lock {
    /// The lock, with those packages alone that are for this machine.
    ///
    /// # Errors
    /// A lock of another shape.
    pub(super) fn of_this_machine() -> Result<Self, String> {
        let mut lock: Lock = toml::from_str(LOCK).map_err(|error| format!("models.lock: {error}"))?;
        lock.packages.retain(|package| is_for_this_machine(package.architecture.as_deref()));
        Ok(lock)
    }
}

impl Package {
    /// Such as `nsfwjs 4.4.0`.
    pub(super) fn title(&self) -> String {
        format!("{} {}", self.name, self.version)
    }
}

impl Output {
    /// Its name without its ending.
    pub(super) fn stem(&self) -> &str {
        stem_of(&self.file)
    }

    /// For a classifier, what stands beside its ONNX file: the name of the file, and its text.
    pub(super) fn manifest(&self) -> Option<(String, &'static str)> {
        manifest_of(&self.file)
    }
}

#[cfg(test)]
mod tests {
    use engine::image::manifest::Manifest;

    use super::*;

    #[test]
    fn the_lock_is_whole() {
        let lock: Lock = toml::from_str(LOCK).unwrap();
        for package in &lock.packages {
            let name = package.title();
            let (kind, length) =
                if package.client == Client::Npm { ("sha512-", 88) } else { ("sha256-", 64) };
            assert_eq!(package.integrity.strip_prefix(kind).map(str::len), Some(length), "{name}");
            assert!(package.archive.contains(&package.version) && !package.licence.is_empty(), "{name}");
            let for_all = package.client == Client::Npm || package.archive.ends_with("-none-any.whl");
            assert_eq!(package.architecture.is_none(), for_all, "{name}");
            let hashes = package.uses.iter().map(|used| &used.sha256);
            for hash in hashes.chain(package.gives.iter().map(|output| &output.sha256)) {
                assert!(
                    hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()),
                    "{name}: {hash}"
                );
            }
            for output in &package.gives {
                let used = |used: &SourceFile| used.path.starts_with(&output.from);
                assert!(package.uses.iter().any(used), "{}", output.file);
                assert_eq!(
                    output.manifest().is_some(),
                    output.by == Conversion::Classifier,
                    "{}",
                    output.file
                );
            }
        }
    }

    #[test]
    fn a_manifest_says_what_its_classifier_is() {
        let lock: Lock = toml::from_str(LOCK).unwrap();
        for (package, output) in
            lock.packages.iter().flat_map(|package| package.gives.iter().map(move |g| (package, g)))
        {
            if let Some((_, text)) = output.manifest() {
                let manifest = Manifest::parse(text).unwrap();
                assert_eq!((manifest.name.as_str(), &manifest.version), (output.stem(), &package.version));
                assert_eq!(manifest.licence, package.licence);
            }
        }
    }
}
