//! The topology of a Keras model as TensorFlow.js writes it, with the settings that affect the result.

use serde::Deserialize;
use serde_json::Value as Json;

use crate::convert::{
    error::ConvertError,
    net::Activation,
    window::{Padding, VALID},
};

/// `modelTopology.model_config.config`.
#[derive(Deserialize)]
pub(super) struct Topology {
    pub(super) layers: Vec<Layer>,
    pub(super) output_layers: Vec<Source>,
}

#[derive(Deserialize)]
pub(super) struct Layer {
    pub(super) name: String,
    pub(super) class_name: String,
    pub(super) config: LayerConfig,
    pub(super) inbound_nodes: Vec<Vec<Source>>,
}

/// The name of a layer with one output.
#[derive(Deserialize)]
#[serde(try_from = "Vec<Json>")]
pub(super) struct Source(pub(super) String);

/// The settings of all kinds of layers that affect the result.
#[derive(Deserialize)]
pub(super) struct LayerConfig {
    pub(super) batch_input_shape: Option<[Option<usize>; 4]>,
    pub(super) strides: Option<[usize; 2]>,
    pub(super) pool_size: Option<[usize; 2]>,
    pub(super) padding: Option<Json>,
    pub(super) activation: Option<String>,
    pub(super) use_bias: Option<bool>,
    pub(super) epsilon: Option<f64>,
    pub(super) scale: Option<bool>,
    pub(super) center: Option<bool>,
    pub(super) axis: Option<i64>,
    pub(super) data_format: Option<String>,
    pub(super) dilation_rate: Option<[usize; 2]>,
    pub(super) depth_multiplier: Option<usize>,
    pub(super) max_value: Option<f64>,
    pub(super) negative_slope: Option<f64>,
    pub(super) threshold: Option<f64>,
}

impl LayerConfig {
    pub(super) fn activation(&self) -> Result<Activation, ConvertError> {
        match self.activation.as_deref() {
            Some("linear") => Ok(Activation::Linear),
            Some("relu") => Ok(Activation::Relu),
            Some("softmax") => Ok(Activation::Softmax),
            other => Err(format!("unsupported activation {other:?}").into()),
        }
    }

    pub(super) fn rectifier(&self) -> Result<Activation, ConvertError> {
        match (self.max_value, self.negative_slope.unwrap_or(0.0), self.threshold.unwrap_or(0.0)) {
            (None, 0.0, 0.0) => Ok(Activation::Relu),
            (Some(6.0), 0.0, 0.0) => Ok(Activation::Relu6),
            other => Err(format!("unsupported ReLU parameters {other:?}").into()),
        }
    }

    pub(super) fn window_padding(&self) -> Result<Padding, ConvertError> {
        match self.padding.as_ref().and_then(Json::as_str) {
            Some("same") => Ok(Padding::Same),
            Some("valid") => Ok(VALID),
            other => Err(format!("unsupported padding {other:?}").into()),
        }
    }
}

impl Layer {
    /// The layer's only input.
    pub(super) fn source(&self) -> Result<&str, ConvertError> {
        match self.sources()? {
            [Source(name)] => Ok(name),
            _ => Err("more or fewer inputs than one".into()),
        }
    }

    /// The layer's inputs.
    pub(super) fn sources(&self) -> Result<&[Source], ConvertError> {
        match self.inbound_nodes.as_slice() {
            [sources] => Ok(sources),
            _ => Err("the layer is used more than once".into()),
        }
    }

    /// Whether the layer `name` is an input of this one.
    pub(super) fn reads(&self, name: &str) -> bool {
        self.inbound_nodes.iter().flatten().any(|Source(source)| source == name)
    }

    pub(super) fn is_conv(&self) -> bool {
        matches!(self.class_name.as_str(), "Conv2D" | "DepthwiseConv2D")
    }
}

impl TryFrom<Vec<Json>> for Source {
    type Error = ConvertError;

    /// Parses a name, the index of a call, the index of an output and optional keyword arguments.
    fn try_from(fields: Vec<Json>) -> Result<Self, ConvertError> {
        match fields.as_slice() {
            [Json::String(name), call, output, ..] if *call == 0 && *output == 0 => Ok(Source(name.clone())),
            other => Err(format!("unsupported source {other:?}").into()),
        }
    }
}
