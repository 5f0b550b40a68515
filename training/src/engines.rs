//! Opens the engines that are measured: with the weights in the binary, or with others from files.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use bytes::Bytes;
use clap::Args;
use engine::text::{HybridOptions, HybridText, NativeText};
use ports::EngineError;
use ports::text::TextMode;

use crate::yardstick::Judge;

/// Which engine and which weights.
#[derive(Args, Clone, Debug)]
pub struct EngineArguments {
    /// A folder with other native weights than the embedded ones.
    #[arg(long)]
    pub weights: Option<PathBuf>,
    /// The folder of the installed models: hybrid instead of native.
    #[arg(long)]
    pub hybrid: Option<PathBuf>,
    /// Another hybrid weight file than the embedded one.
    #[arg(long, requires = "hybrid")]
    pub hybrid_weights: Option<PathBuf>,
    /// Another multilingual weight file than the embedded one.
    #[arg(long, requires = "hybrid")]
    pub multilingual_weights: Option<PathBuf>,
}

impl EngineArguments {
    /// The native engine.
    ///
    /// # Errors
    /// Files that are missing or wrong.
    pub fn native(&self) -> Result<NativeText> {
        let Some(folder) = &self.weights else { return NativeText::load().map_err(failed) };
        let manifest = std::fs::read_to_string(folder.join("text-native.json"))?;
        NativeText::of(&manifest, read(&folder.join("text-native.bin"))?.leak()).map_err(failed)
    }

    /// The hybrid engine; `None` where native is asked for.
    ///
    /// # Errors
    /// Like [`native`](Self::native).
    pub fn hybrid(&self) -> Result<Option<HybridText>> {
        let Some(folder) = &self.hybrid else { return Ok(None) };
        let onnx_runtime = "auto".parse().map_err(|error| anyhow!("{error}"))?;
        let options = HybridOptions { models_dir: folder.clone(), onnx_runtime, threads: 1 };
        let native = self.native()?;
        let english = self.hybrid_weights.as_deref().map(read).transpose()?;
        let multilingual = self.multilingual_weights.as_deref().map(read).transpose()?;
        let engine =
            HybridText::of(english.map(Bytes::from), multilingual.map(Bytes::from), native, &options);
        engine.map(Some).map_err(failed)
    }

    /// Either of them, to ask for verdicts.
    ///
    /// # Errors
    /// Like [`native`](Self::native).
    pub fn judge(&self) -> Result<Judge> {
        let runtime = tokio::runtime::Runtime::new()?;
        Ok(match self.hybrid()? {
            Some(engine) => Judge { engine: Box::new(engine), mode: TextMode::Hybrid, runtime },
            None => Judge { engine: Box::new(self.native()?), mode: TextMode::Native, runtime },
        })
    }
}

fn read(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}

fn failed(error: EngineError) -> anyhow::Error {
    anyhow!(error.0)
}
