//! Converts the classifiers of npm's `nsfwjs`: a CommonJS module with the topology, and modules with the weights in
//! base64.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::Value;

use super::{error::ConvertError, keras, literal, tensors::Tensors, tfjs_graph};
use engine::onnx::Graph;

/// Converts the classifier in a folder of `dist/models`. `file` reads a file in that folder.
///
/// # Errors
/// If a file is missing or unsupported.
pub fn classifier(
    name: &str,
    file: &dyn Fn(&str) -> Result<Vec<u8>, ConvertError>,
) -> Result<Graph, ConvertError> {
    let model = module("model.min.js", file)?;
    let tensors = Tensors::read(&model["weightsManifest"], |path| shard(path, file))?;
    let topology = &model["modelTopology"];
    match &topology["model_config"] {
        Value::Null => tfjs_graph::convert(name, topology, &tensors),
        model_config => keras::convert(name, model_config, &tensors),
    }
}

/// The literal that a module exports.
fn module(name: &str, file: &dyn Fn(&str) -> Result<Vec<u8>, ConvertError>) -> Result<Value, ConvertError> {
    let text = String::from_utf8(file(name)?).map_err(|_| ConvertError::from("not UTF-8").within(name))?;
    literal::exported(&text).map_err(|error| error.within(name))
}

/// The bytes of a file of weights.
fn shard(path: &str, file: &dyn Fn(&str) -> Result<Vec<u8>, ConvertError>) -> Result<Vec<u8>, ConvertError> {
    let name = format!("{path}.min.js");
    let text = module(&name, file)?;
    let bytes = text.as_str().and_then(|text| STANDARD.decode(text).ok());
    bytes.ok_or_else(|| ConvertError::from("not base64").within(name))
}
