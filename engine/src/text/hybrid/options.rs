//! The settings of the hybrid engine.

use std::path::PathBuf;

use crate::runtime::OnnxRuntime;

/// The settings of the hybrid engine.
#[derive(Clone, Debug)]
pub struct HybridOptions {
    /// The folder with the token embeddings and, if installed, ONNX Runtime.
    pub models_dir: PathBuf,
    pub onnx_runtime: OnnxRuntime,
    /// Worker threads; 0 means one for each core.
    pub threads: usize,
}
