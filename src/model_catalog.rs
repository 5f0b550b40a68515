//! All models of this process with their hashes: those in the binary, the installed ones and the operator's own.

use std::path::{Path, PathBuf};

use engine::{
    catalog::{self, CustomModel, EmbeddedModel},
    model_files::{self, FileState, InstalledFile},
};
use ports::{
    EngineError,
    catalog::{CatalogModel, ModelCatalog},
};

/// The models of a process.
pub(crate) struct Models {
    /// The folder with the models that are not in the binary.
    pub(crate) dir: PathBuf,
}

impl ModelCatalog for Models {
    fn list(&self) -> Result<Vec<CatalogModel>, EngineError> {
        list(&self.dir).map_err(|error| EngineError(format!("{error:#}")))
    }
}

/// Hashes all models.
///
/// # Errors
/// A manifest or the lock that cannot be parsed, or a file that cannot be read.
pub(crate) fn list(dir: &Path) -> anyhow::Result<Vec<CatalogModel>> {
    let mut models: Vec<_> = catalog::embedded()?.into_iter().map(built_in).collect();
    models.extend(model_files::installed(dir)?.into_iter().map(installed));
    models.extend(catalog::custom(dir)?.into_iter().map(custom));
    Ok(models)
}

fn built_in(model: EmbeddedModel) -> CatalogModel {
    let EmbeddedModel { name, version, file, bytes, sha256, intact } = model;
    let fault = (!intact).then(|| format!("{name} {version} is not intact: its SHA-256 is {sha256}"));
    let state = if intact { "intact" } else { "altered" };
    CatalogModel { name, version, file, bytes: bytes as u64, sha256, origin: "built_in", state, fault }
}

fn installed(model: InstalledFile) -> CatalogModel {
    let InstalledFile { name, version, file, bytes, sha256, state, optional } = model;
    let fault = match &state {
        FileState::Altered(how) => Some(how.clone()),
        FileState::Missing if !optional => Some(format!("{file} is missing")),
        _ => None,
    };
    CatalogModel { name, version, file, bytes, sha256, origin: "installed", state: state.into(), fault }
}

fn custom(model: CustomModel) -> CatalogModel {
    let CustomModel { name, version, file, bytes, sha256 } = model;
    let (version, state, fault) = match version {
        Ok(version) => (version, "unpinned", None),
        Err(error) => ("-".into(), "unusable", Some(error.to_string())),
    };
    CatalogModel { name, version, file, bytes, sha256, origin: "own", state, fault }
}
