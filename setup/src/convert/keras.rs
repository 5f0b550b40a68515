//! TensorFlow.js "layers models": the topology of Keras 2. Refuses layers and settings that it does not know.

mod topology;

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::Value as Json;

use self::topology::{Layer, Model, Source};
use super::{
    kernel::{Kernel, Norm},
    net::{Activation, GraphBuilder, Pool, Value},
    tensors::Tensors,
    window::{Padding, VALID, Window},
};
use engine::onnx::{Dim, Graph};

struct Conversion<'a> {
    model: &'a Model,
    tensors: &'a Tensors,
    net: GraphBuilder,
    /// What each layer gave so far.
    values: HashMap<&'a str, Value>,
    /// What `ZeroPadding2D` layers leave to the convolutions after them.
    padding: HashMap<&'a str, [usize; 4]>,
}

/// Converts `model_config` with its weights to a graph that gives `probabilities`.
///
/// # Errors
/// Anything that is not understood.
pub(super) fn convert(name: &str, model_config: &Json, tensors: &Tensors) -> Result<Graph, String> {
    let model = Model::deserialize(&model_config["config"]).map_err(|error| format!("topology: {error}"))?;
    let (input, layers) = model.layers.split_first().ok_or("no layers")?;
    let Some([None, Some(height), Some(width), Some(3)]) = input.config.batch_input_shape else {
        return Err("the first layer is no input for RGB images of one size".into());
    };
    let sides = [Dim::Fixed(height), Dim::Fixed(width)];
    let (net, image) = GraphBuilder::new(name, Dim::Fixed(1), sides, [height, width]);
    let values = HashMap::from([(input.name.as_str(), image)]);
    let mut conversion = Conversion { model: &model, tensors, net, values, padding: HashMap::new() };
    for layer in layers {
        let value =
            conversion.layer(layer).map_err(|what| format!("{} {}: {what}", layer.class_name, layer.name))?;
        conversion.values.insert(&layer.name, value);
    }
    let [Source(last)] = model.output_layers.as_slice() else { return Err("not one output".into()) };
    let value = conversion.values.get(last.as_str()).ok_or("no such output")?;
    let shape = vec![Dim::Fixed(1), Dim::Fixed(value.channels)];
    conversion.net.finish(value, "probabilities", shape)
}

impl<'a> Conversion<'a> {
    fn layer(&mut self, layer: &'a Layer) -> Result<Value, String> {
        let config = &layer.config;
        if config.data_format.as_deref().is_some_and(|format| format != "channels_last") {
            return Err("another layout".into());
        }
        match layer.class_name.as_str() {
            "Conv2D" | "DepthwiseConv2D" => self.conv(layer),
            "BatchNormalization" => self.folded(layer),
            "ZeroPadding2D" => self.zero_padding(layer),
            "ReLU" => {
                let x = self.input(layer)?;
                Ok(self.net.activation(&layer.name, &x, config.rectifier()?))
            }
            "Activation" => {
                let x = self.input(layer)?;
                Ok(self.net.activation(&layer.name, &x, config.activation()?))
            }
            "MaxPooling2D" => self.pool(layer, Pool::Max),
            "AveragePooling2D" => self.pool(layer, Pool::Average),
            "Dropout" => self.input(layer),
            "Flatten" => {
                let x = self.input(layer)?;
                self.net.flatten(&layer.name, &x)
            }
            "Dense" => self.dense(layer),
            "Add" => {
                let [a, b] = self.inputs(layer)?.try_into().map_err(|_| "not two inputs")?;
                self.net.add(&layer.name, &a, &b)
            }
            "Concatenate" if matches!(config.axis, Some(3 | -1)) => {
                let values = self.inputs(layer)?;
                self.net.concat(&layer.name, &values.iter().collect::<Vec<_>>())
            }
            _ => Err("not understood".into()),
        }
    }

    fn conv(&mut self, layer: &'a Layer) -> Result<Value, String> {
        let config = &layer.config;
        if config.dilation_rate.is_some_and(|rate| rate != [1, 1])
            || config.depth_multiplier.is_some_and(|n| n != 1)
        {
            return Err("dilation or a depth multiplier".into());
        }
        let name = layer.name.as_str();
        let mut kernel = if layer.class_name == "Conv2D" {
            Kernel::full(self.tensors.get(&format!("{name}/kernel"), 4)?)
        } else {
            Kernel::depthwise(self.tensors.get(&format!("{name}/depthwise_kernel"), 4)?)?
        };
        if config.use_bias == Some(true) {
            kernel = kernel.with_bias(&self.tensors.get(&format!("{name}/bias"), 1)?.values)?;
        }
        if let Some(norm) = self.norm_of(layer)? {
            kernel = self.fold_batch_norm(kernel, norm)?;
        }
        let mut padding = config.window_padding()?;
        let source = layer.source()?;
        if let Some(pixels) = self.padding.get(source) {
            if padding != VALID {
                return Err("padding on padding".into());
            }
            padding = Padding::Pixels(*pixels);
        }
        let x = self.input(layer)?;
        let window = Window { size: [0, 0], strides: config.strides.ok_or("no strides")?, padding };
        let sum = self.net.conv(name, &x, &kernel, window)?;
        Ok(self.net.activation(&format!("{name}/activation"), &sum, config.activation()?))
    }

    /// The batch normalisation to fold into a convolution: its only reader.
    fn norm_of(&self, layer: &Layer) -> Result<Option<&'a Layer>, String> {
        let readers = self.readers(&layer.name);
        match readers.as_slice() {
            [norm]
                if norm.class_name == "BatchNormalization"
                    && layer.config.activation()? == Activation::Linear =>
            {
                Ok(Some(norm))
            }
            _ => Ok(None),
        }
    }

    fn fold_batch_norm(&self, kernel: Kernel, norm: &Layer) -> Result<Kernel, String> {
        let config = &norm.config;
        let read =
            |what: &str| self.tensors.get(&format!("{}/{what}", norm.name), 1).map(|t| t.values.as_slice());
        kernel.fold_batch_norm(&Norm {
            gamma: (config.scale != Some(false)).then(|| read("gamma")).transpose()?,
            beta: (config.center != Some(false)).then(|| read("beta")).transpose()?,
            mean: read("moving_mean")?,
            variance: read("moving_variance")?,
            epsilon: config.epsilon.ok_or("no epsilon")?,
        })
    }

    /// A batch normalisation, which must have been folded into the convolution before it.
    fn folded(&self, layer: &Layer) -> Result<Value, String> {
        let before = layer.source()?;
        let before = self.model.layers.iter().find(|layer| layer.name == before).ok_or("no such input")?;
        if !before.is_conv() || self.norm_of(before)?.is_none() || !matches!(layer.config.axis, Some(3 | -1))
        {
            return Err("not right after a convolution".into());
        }
        self.input(layer)
    }

    fn zero_padding(&mut self, layer: &'a Layer) -> Result<Value, String> {
        let pixels: Option<[[usize; 2]; 2]> =
            layer.config.padding.as_ref().and_then(|padding| Deserialize::deserialize(padding).ok());
        let [[top, bottom], [left, right]] = pixels.ok_or("not understood")?;
        let readers = self.readers(&layer.name);
        if !readers.iter().all(|reader| reader.is_conv()) {
            return Err("not right before a convolution".into());
        }
        self.padding.insert(&layer.name, [top, left, bottom, right]);
        self.input(layer)
    }

    fn pool(&mut self, layer: &Layer, pool: Pool) -> Result<Value, String> {
        let x = self.input(layer)?;
        let config = &layer.config;
        let size = config.pool_size.ok_or("no size")?;
        let strides = config.strides.unwrap_or(size);
        self.net.pool(&layer.name, &x, pool, Window { size, strides, padding: config.window_padding()? })
    }

    fn dense(&mut self, layer: &Layer) -> Result<Value, String> {
        let x = self.input(layer)?;
        let name = &layer.name;
        let weights = self.tensors.get(&format!("{name}/kernel"), 2)?;
        let bias = self.tensors.get(&format!("{name}/bias"), 1)?;
        let sum = self.net.dense(name, &x, weights, bias)?;
        Ok(self.net.activation(&format!("{name}/activation"), &sum, layer.config.activation()?))
    }

    fn readers(&self, name: &str) -> Vec<&'a Layer> {
        let reads =
            |layer: &&Layer| layer.inbound_nodes.iter().flatten().any(|Source(source)| source == name);
        self.model.layers.iter().filter(reads).collect()
    }

    fn input(&self, layer: &Layer) -> Result<Value, String> {
        let [value] = self.inputs(layer)?.try_into().map_err(|_| "not one input")?;
        Ok(value)
    }

    fn inputs(&self, layer: &Layer) -> Result<Vec<Value>, String> {
        let sources = layer.sources()?;
        let value =
            |Source(source): &Source| self.values.get(source.as_str()).cloned().ok_or("unknown input".into());
        sources.iter().map(value).collect()
    }
}
