//! Lists the models that set-up does not fetch: those embedded in the binary, and the operator's custom ones.

use std::{collections::BTreeSet, io, path::Path};

use crate::{
    decision,
    image::manifest::Manifest,
    model_files::{Lock, hash_file},
    text,
};

pub use crate::embedded::Embedded;

/// A custom image classifier: `NAME.onnx` with `NAME.json` beside it, neither of them in the lock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CustomModel {
    pub name: String,
    /// The version in its manifest, or the reason why the manifest cannot be used.
    pub version: Result<String, String>,
    pub file: String,
    pub bytes: u64,
    /// In hexadecimal.
    pub sha256: String,
}

/// Hashes every model in the binary.
///
/// # Errors
/// A manifest that cannot be parsed.
pub fn embedded() -> Result<Vec<Embedded>, String> {
    let [words, domains] = text::weights::embedded()?;
    let [english, multilingual] = text::hybrid::embedded()?;
    Ok(vec![words, english, multilingual, domains, decision::embedded()?])
}

/// The custom models in the models' folder, sorted by name.
///
/// # Errors
/// A lock that cannot be parsed, or a file that cannot be read.
pub fn custom(models_dir: &Path) -> Result<Vec<CustomModel>, String> {
    let lock = Lock::of_this_machine()?;
    let mut names = manifests(models_dir).map_err(|error| format!("{}: {error}", models_dir.display()))?;
    names.retain(|name| !lock.names(name));
    let mut all = Vec::new();
    for name in names {
        let file = format!("{name}.onnx");
        let Some((bytes, sha256)) = hash_file(models_dir, &file)? else { continue };
        let manifest = Manifest::read(models_dir, &name);
        let version = manifest.map(|manifest| manifest.version).map_err(|error| error.to_string());
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
