//! The topology of a Keras model as TensorFlow.js writes it, with those settings alone that change what is computed.

use serde::Deserialize;
use serde_json::Value as Json;

use crate::convert::{
    net::Activation,
    window::{Padding, VALID},
};

/// `modelTopology.model_config.config`.
#[derive(Deserialize)]
pub(super) struct Model {
    pub(super) layers: Vec<Layer>,
    pub(super) output_layers: Vec<Source>,
}

#[derive(Deserialize)]
pub(super) struct Layer {
    pub(super) name: String,
    pub(super) class_name: String,
    pub(super) config: Config,
    pub(super) inbound_nodes: Vec<Vec<Source>>,
}

/// The name of a layer, whose only output is meant.
#[derive(Deserialize)]
#[serde(try_from = "Vec<Json>")]
pub(super) struct Source(pub(super) String);

/// The settings that change what a layer computes, of all layers in one.
#[derive(Deserialize)]
pub(super) struct Config {
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

impl Config {
    pub(super) fn activation(&self) -> Result<Activation, String> {
        match self.activation.as_deref() {
            Some("linear") => Ok(Activation::Linear),
            Some("relu") => Ok(Activation::Relu),
            Some("softmax") => Ok(Activation::Softmax),
            other => Err(format!("the activation {other:?}")),
        }
    }

    pub(super) fn rectifier(&self) -> Result<Activation, String> {
        match (self.max_value, self.negative_slope.unwrap_or(0.0), self.threshold.unwrap_or(0.0)) {
            (None, 0.0, 0.0) => Ok(Activation::Relu),
            (Some(6.0), 0.0, 0.0) => Ok(Activation::Relu6),
            other => Err(format!("a rectifier with {other:?}")),
        }
    }

    pub(super) fn window_padding(&self) -> Result<Padding, String> {
        match self.padding.as_ref().and_then(Json::as_str) {
            Some("same") => Ok(Padding::Same),
            Some("valid") => Ok(VALID),
            other => Err(format!("the padding {other:?}")),
        }
    }
}

impl Layer {
    /// The layer that it reads, when that is one.
    pub(super) fn source(&self) -> Result<&str, String> {
        match self.sources()? {
            [Source(name)] => Ok(name),
            _ => Err("not one input".into()),
        }
    }

    /// The layers that it reads.
    pub(super) fn sources(&self) -> Result<&[Source], String> {
        match self.inbound_nodes.as_slice() {
            [sources] => Ok(sources),
            _ => Err("not one call".into()),
        }
    }

    pub(super) fn is_conv(&self) -> bool {
        matches!(self.class_name.as_str(), "Conv2D" | "DepthwiseConv2D")
    }
}

impl TryFrom<Vec<Json>> for Source {
    type Error = String;

    /// From a name, the number of a call and the number of an output, and perhaps keyword arguments.
    fn try_from(fields: Vec<Json>) -> Result<Self, String> {
        match fields.as_slice() {
            [Json::String(name), call, output, ..] if *call == 0 && *output == 0 => Ok(Source(name.clone())),
            other => Err(format!("the source {other:?}")),
        }
    }
}
