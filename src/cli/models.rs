//! `gavel models`: what decides, by name, version and hash.

use anyhow::bail;
use clap::Subcommand;
use engine::text::weights::{self, Embedded};
use serde_json::{Value, json};

use super::output::{Output, table};

/// The models in this binary.
#[derive(Subcommand)]
pub(super) enum Models {
    /// List them.
    List,
    /// Hash their weights and compare with what their manifests record.
    Verify,
}

impl Models {
    pub(super) fn run(self, output: &Output) -> anyhow::Result<()> {
        let models = weights::embedded().map_err(anyhow::Error::msg)?;
        if let Models::Verify = self
            && let Some(broken) = models.iter().find(|model| !model.intact)
        {
            bail!("{} {} is not intact: its SHA-256 is {}", broken.name, broken.version, broken.sha256);
        }
        let rows: Vec<_> = models.iter().map(row).collect();
        let listed: Vec<_> = models.iter().map(value).collect();
        output.show(&table(["MODEL", "VERSION", "BYTES", "SHA-256"], &rows), json!({ "models": listed }));
        Ok(())
    }
}

fn row(model: &Embedded) -> [String; 4] {
    [model.name.clone(), model.version.clone(), model.bytes.to_string(), model.sha256.clone()]
}

fn value(model: &Embedded) -> Value {
    json!({
        "name": model.name, "version": model.version, "file": model.file, "bytes": model.bytes,
        "sha256": model.sha256, "intact": model.intact,
    })
}
