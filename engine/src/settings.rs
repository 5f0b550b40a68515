//! Settings of the models, under their names in the settings file.

use std::path::PathBuf;

use ports::EngineError;
use serde::Deserialize;

use crate::{
    decision::DecisionOptions,
    image::{ImageOptions, decode::DecodeLimits},
    lazy::LoadModels,
    runtime::{OnnxRuntime, Runtime},
    text::HybridOptions,
};

/// The models' part of the settings; `config.default.toml` documents each.
#[derive(Clone, Debug, Deserialize)]
pub struct EngineSettings {
    /// The folder with the models that are not part of the binary.
    pub models_dir: PathBuf,
    pub load_models: LoadModels,
    onnx_runtime: String,
    image_model: String,
    image_pixels: u64,
    images_at_once: usize,
    encoder_threads: usize,
    inference_tokens: usize,
    /// Bytes of artefacts, for [`DecisionModel::with_checkpoints`](crate::decision::DecisionModel::with_checkpoints).
    pub checkpoint_cache_bytes: usize,
    /// Threads of a [`FineTuner`](crate::fine_tune::FineTuner).
    pub training_threads: usize,
}

impl EngineSettings {
    /// Options of the hybrid text model.
    pub fn hybrid_text(&self) -> HybridOptions {
        HybridOptions {
            models_dir: self.models_dir.clone(),
            onnx_runtime: self.onnx_runtime(),
            threads: self.encoder_threads,
        }
    }

    /// Options of the image models.
    pub fn images(&self) -> ImageOptions {
        ImageOptions {
            models_dir: self.models_dir.clone(),
            model: self.image_model.clone(),
            onnx_runtime: self.onnx_runtime(),
            limits: DecodeLimits::of_pixels(self.image_pixels),
            parallel: self.images_at_once,
        }
    }

    /// Options of the decision model.
    pub fn decisions(&self) -> DecisionOptions {
        DecisionOptions {
            models_dir: self.models_dir.clone(),
            onnx_runtime: self.onnx_runtime(),
            token_work: self.inference_tokens,
            threads: self.encoder_threads,
        }
    }

    /// The runtime of all models.
    ///
    /// # Errors
    /// Why the library of ONNX Runtime cannot be used; the built-in runtime then takes its place.
    pub fn runtime(&self) -> Result<Runtime, EngineError> {
        Runtime::try_open(&self.onnx_runtime(), &self.models_dir)
    }

    fn onnx_runtime(&self) -> OnnxRuntime {
        // Parsing cannot fail: any text is a keyword or a path.
        self.onnx_runtime.parse().unwrap_or_default()
    }
}
