//! Parses `models/models.lock`: the packages to fetch, the client for each, and the conversions.

use engine::model_files::{LOCK, is_for_this_machine, manifest_of, stem_of};
use serde::Deserialize;

use super::error::SetupError;

/// The lock. The heading of the file describes each field.
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

/// A file that is made from a package. Only `engine` uses its size.
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
    #[serde(rename = "words")]
    WordEmbeddings,
    WordBlocks,
    Copy,
}

impl Lock {
    /// Parses the lock and drops the packages that are not for this machine.
    ///
    /// # Errors
    /// If the lock cannot be parsed.
    pub(super) fn of_this_machine() -> Result<Self, SetupError> {
        let mut lock: Lock = toml::from_str(LOCK).map_err(SetupError::Lock)?;
        lock.packages.retain(|package| is_for_this_machine(package.architecture.as_deref()));
        Ok(lock)
    }
}

impl Package {
    /// The last platform tag of a wheel, such as `any` or `manylinux2014_x86_64`.
    pub(super) fn platform(&self) -> Option<&str> {
        let tags = self.archive.strip_suffix(".whl")?.rsplit('-').next()?;
        tags.rsplit('.').next()
    }

    /// Such as `nsfwjs 4.4.0`.
    pub(super) fn title(&self) -> String {
        format!("{} {}", self.name, self.version)
    }
}

impl Output {
    /// The file's name without its extension.
    pub(super) fn stem(&self) -> &str {
        stem_of(&self.file)
    }

    /// For a classifier, the file name and the text of its manifest.
    pub(super) fn manifest(&self) -> Option<(String, &'static str)> {
        manifest_of(&self.file)
    }
}

#[cfg(test)]
mod tests {
    use engine::image::manifest::ClassifierManifest;

    use super::*;

    #[test]
    fn the_lock_is_complete() {
        let lock: Lock = toml::from_str(LOCK).unwrap();
        for package in &lock.packages {
            let name = package.title();
            let (kind, length) =
                if package.client == Client::Npm { ("sha512-", 88) } else { ("sha256-", 64) };
            assert_eq!(package.integrity.strip_prefix(kind).map(str::len), Some(length), "{name}");
            assert!(package.archive.contains(&package.version) && !package.licence.is_empty(), "{name}");
            // A library is for some machines; data are for all, whatever the wheel says.
            let is_library = package.uses.iter().any(|used| used.path.contains(".so"));
            assert_eq!(package.architecture.is_some(), is_library, "{name}");
            let hashes = package.uses.iter().map(|used| &used.sha256);
            for hash in hashes.chain(package.gives.iter().map(|output| &output.sha256)) {
                assert!(
                    hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()),
                    "{name}: {hash}"
                );
            }
            for output in &package.gives {
                let used = package.uses.iter().any(|used| used.path.starts_with(&output.from));
                assert!(used, "{}", output.file);
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
    fn manifests_match_the_lock() {
        let lock: Lock = toml::from_str(LOCK).unwrap();
        for (package, output) in
            lock.packages.iter().flat_map(|package| package.gives.iter().map(move |g| (package, g)))
        {
            if let Some((_, text)) = output.manifest() {
                let manifest = ClassifierManifest::parse(text).unwrap();
                assert_eq!((manifest.name.as_str(), &manifest.version), (output.stem(), &package.version));
                assert_eq!(manifest.licence, package.licence);
            }
        }
    }
}
