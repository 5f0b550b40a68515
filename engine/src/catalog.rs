//! Lists the models that set-up does not fetch: those embedded in the binary, and the operator's custom ones.

use std::{collections::BTreeSet, io, path::Path};

use ports::EngineError;

use crate::{
    decision,
    image::manifest::{ClassifierManifest, ManifestError},
    model_files::{Lock, ModelFileError, hash_file},
    text,
};

pub use crate::embedded::EmbeddedModel;

/// A custom image classifier: `NAME.onnx` with `NAME.json` beside it, neither of them in the lock.
#[derive(Debug)]
pub struct CustomModel {
    pub name: String,
    /// The version in its manifest, or the reason why the manifest cannot be used.
    pub version: Result<String, ManifestError>,
    pub file: String,
    pub bytes: u64,
    /// In hexadecimal.
    pub sha256: String,
}

/// Hashes every model in the binary.
///
/// # Errors
/// A manifest that cannot be parsed.
pub fn embedded() -> Result<Vec<EmbeddedModel>, EngineError> {
    let [words, domains] = text::weights::embedded()?;
    let [english, multilingual] = text::hybrid::embedded()?;
    let [decision, multilingual_decision] = decision::embedded()?;
    Ok(vec![words, english, multilingual, domains, decision, multilingual_decision])
}

/// The custom models in the models' folder, sorted by name.
///
/// # Errors
/// A lock that cannot be parsed, or a file that cannot be read.
pub fn custom(models_dir: &Path) -> Result<Vec<CustomModel>, ModelFileError> {
    let lock = Lock::of_this_machine()?;
    let mut names =
        manifests(models_dir).map_err(|error| ModelFileError::Read { path: models_dir.to_owned(), error })?;
    names.retain(|name| !lock.names(name));
    let mut all = Vec::new();
    for name in names {
        let file = format!("{name}.onnx");
        let Some((bytes, sha256)) = hash_file(models_dir, &file)? else { continue };
        let version = ClassifierManifest::read(models_dir, &name).map(|manifest| manifest.version);
        all.push(CustomModel { name, version, file, bytes, sha256 });
    }
    Ok(all)
}

/// The stems of all JSON files, sorted.
fn manifests(models_dir: &Path) -> io::Result<BTreeSet<String>> {
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

#[cfg(test)]
mod tests {
    #[test]
    fn the_weights_are_those_the_manifests_pin() {
        assert!(super::embedded().expect("manifests").iter().all(|model| model.intact));
    }
}
