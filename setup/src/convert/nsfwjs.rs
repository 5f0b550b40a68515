//! The classifiers of npm's `nsfwjs`: a CommonJS module with the topology, and modules with the weights in base64.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::Value;

use super::{keras, literal, tensors::Tensors, tfjs_graph};
use engine::onnx::Graph;

/// Converts the classifier of one folder of `dist/models`. `file` gives the bytes of a file in that folder.
///
/// # Errors
/// A file that is missing, or holds something that is not understood.
pub fn classifier(name: &str, file: &dyn Fn(&str) -> Result<Vec<u8>, String>) -> Result<Graph, String> {
    let module = |name: &str| {
        let text = String::from_utf8(file(name)?).map_err(|_| format!("{name}: not UTF-8"))?;
        literal::exported(&text).map_err(|what| format!("{name}: {what}"))
    };
    let model = module("model.min.js")?;
    let shard = |path: &str| {
        let name = format!("{path}.min.js");
        let text = module(&name)?;
        let bytes = text.as_str().and_then(|text| STANDARD.decode(text).ok());
        bytes.ok_or_else(|| format!("{name}: not base64"))
    };
    let tensors = Tensors::read(&model["weightsManifest"], shard)?;
    let topology = &model["modelTopology"];
    match &topology["model_config"] {
        Value::Null => tfjs_graph::convert(name, topology, &tensors),
        model_config => keras::convert(name, model_config, &tensors),
    }
}
