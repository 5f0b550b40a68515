//! A decision model with random weights and the shape of a real one, with one layer each in its backbone and its head.
//! Needs the token embeddings and the runtimes that set-up installs.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
};

use engine::{
    decision::{DecisionModel, DecisionOptions},
    runtime::OnnxRuntime,
};
use safetensors::{Dtype, tensor::TensorView};

const WIDTH: usize = 384;
const INNER: usize = 1536;

pub fn models_dir() -> PathBuf {
    let folder = std::env::var_os("GAVEL_MODELS_DIR")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../.cache/models"), PathBuf::from);
    for file in ["minilm-l6-words.safetensors", "libonnxruntime.so"] {
        assert!(folder.join(file).exists(), "no {file} in {}: `make test` installs it", folder.display());
    }
    folder
}

pub fn options(onnx_runtime: OnnxRuntime) -> DecisionOptions {
    DecisionOptions { models_dir: models_dir(), onnx_runtime, token_work: 65_536, threads: 2 }
}

/// On rten and on ONNX Runtime.
pub fn on_both(weights: &[u8]) -> [DecisionModel; 2] {
    let models = [OnnxRuntime::Off, OnnxRuntime::Auto]
        .map(|runtime| DecisionModel::of(weights.to_vec(), &options(runtime)).expect("a model that loads"));
    assert!(models[0].runtime().starts_with("rten"), "{:?}", models[0]);
    assert!(models[1].runtime().starts_with("onnxruntime"), "{:?}", models[1]);
    models
}

/// A weight file with random weights.
pub fn weights(seed: u32) -> Vec<u8> {
    weights_as_sure_as(seed, 0.2)
}

/// A weight file with random weights, whose answers are the more confident the larger `sureness` is.
pub fn weights_as_sure_as(seed: u32, sureness: f32) -> Vec<u8> {
    let mut made = Made { state: seed, tensors: Vec::new() };
    made.halves("embeddings.position_embeddings.weight", vec![512, WIDTH]);
    made.halves("embeddings.token_type_embeddings.weight", vec![3, WIDTH]);
    made.halves("embeddings.rank_embeddings.weight", vec![64, WIDTH]);
    made.norm("embeddings.LayerNorm");
    for layer in 0..2 {
        let layer = format!("encoder.layer.{layer}");
        for part in ["query", "key", "value"] {
            made.quantised(&format!("{layer}.attention.self.{part}"), WIDTH, WIDTH);
        }
        made.quantised(&format!("{layer}.attention.output.dense"), WIDTH, WIDTH);
        made.quantised(&format!("{layer}.intermediate.dense"), INNER, WIDTH);
        made.quantised(&format!("{layer}.output.dense"), WIDTH, INNER);
        made.norm(&format!("{layer}.attention.output.LayerNorm"));
        made.norm(&format!("{layer}.output.LayerNorm"));
    }
    made.floats("score.dense.weight", vec![WIDTH, WIDTH], 0.0, 0.08);
    made.floats("score.dense.bias", vec![WIDTH], 0.0, 0.1);
    made.floats("score.out.weight", vec![1, WIDTH], 0.0, sureness);
    made.floats("score.out.bias", vec![1], 0.0, 0.1);
    let config = concat!(
        r#"{"temperatures": {"choice": [1, 1, 1, 1, 1], "score": [1, 1, 1], "noul": [1]}, "#,
        r#""windows": "deviant"}"#
    );
    let version = format!("0.0.{seed}");
    let metadata = [("name", "made"), ("version", &version), ("format", "1"), ("config", config)]
        .map(|(key, value)| (key.to_owned(), value.to_owned()));
    let views = made.tensors.iter().map(|(name, dtype, shape, bytes)| {
        (
            name.as_str(),
            TensorView::new(*dtype, shape.clone(), bytes).expect("as many bytes as the shape says"),
        )
    });
    safetensors::serialize(views, Some(HashMap::from(metadata))).expect("a whole file")
}

struct Made {
    state: u32,
    tensors: Vec<(String, Dtype, Vec<usize>, Vec<u8>)>,
}

impl Made {
    /// From -1 to 1.
    fn noise(&mut self) -> f32 {
        self.state = self.state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.state >> 8) as f32 / 8_388_608.0 - 1.0
    }

    fn floats(&mut self, name: &str, shape: Vec<usize>, middle: f32, spread: f32) {
        let count: usize = shape.iter().product();
        let bytes = (0..count).flat_map(|_| (middle + spread * self.noise()).to_le_bytes()).collect();
        self.tensors.push((name.into(), Dtype::F32, shape, bytes));
    }

    fn halves(&mut self, name: &str, shape: Vec<usize>) {
        let count: usize = shape.iter().product();
        let bytes = (0..count).flat_map(|_| half::f16::from_f32(0.1 * self.noise()).to_le_bytes()).collect();
        self.tensors.push((name.into(), Dtype::F16, shape, bytes));
    }

    fn quantised(&mut self, name: &str, outputs: usize, inputs: usize) {
        let bytes = (0..outputs * inputs).map(|_| ((self.noise() * 63.0) as i8).cast_unsigned()).collect();
        self.tensors.push((format!("{name}.weight"), Dtype::I8, vec![outputs, inputs], bytes));
        self.floats(&format!("{name}.scale"), vec![outputs], 0.0015, 0.0005);
        self.floats(&format!("{name}.bias"), vec![outputs], 0.0, 0.1);
    }

    fn norm(&mut self, name: &str) {
        self.floats(&format!("{name}.weight"), vec![WIDTH], 1.0, 0.1);
        self.floats(&format!("{name}.bias"), vec![WIDTH], 0.0, 0.1);
    }
}
