//! Converts a Keras model layer by layer.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::Value as Json;

use super::{
    super::{
        error::ConvertError,
        kernel::{Kernel, Norm},
        net::{Activation, GraphBuilder, Pool, Value},
        tensors::Tensors,
        window::{Padding, VALID, Window},
    },
    topology::{Layer, Source, Topology},
};
use engine::onnx::{Dim, Graph};

struct Conversion<'a> {
    topology: &'a Topology,
    tensors: &'a Tensors,
    net: GraphBuilder,
    /// The outputs of the layers so far.
    values: HashMap<&'a str, Value>,
    /// The padding of `ZeroPadding2D` layers, which the convolutions after them apply.
    padding: HashMap<&'a str, [usize; 4]>,
}

/// Converts `model_config` with its weights to a graph with the output `probabilities`.
///
/// # Errors
/// If anything is unsupported.
pub(in crate::convert) fn convert(
    name: &str,
    model_config: &Json,
    tensors: &Tensors,
) -> Result<Graph, ConvertError> {
    let topology = Topology::deserialize(&model_config["config"])
        .map_err(|error| ConvertError::from(format!("topology: {error}")))?;
    let (input, layers) = topology.layers.split_first().ok_or("no layers")?;
    let Some([None, Some(height), Some(width), Some(3)]) = input.config.batch_input_shape else {
        return Err("the first layer is not an input for RGB images of a fixed size".into());
    };
    let sides = [Dim::Fixed(height), Dim::Fixed(width)];
    let (net, image) = GraphBuilder::new(name, Dim::Fixed(1), sides, [height, width]);
    let values = HashMap::from([(input.name.as_str(), image)]);
    let mut conversion = Conversion { topology: &topology, tensors, net, values, padding: HashMap::new() };
    for layer in layers {
        let value = conversion
            .layer(layer)
            .map_err(|error| error.within(format!("{} {}", layer.class_name, layer.name)))?;
        conversion.values.insert(&layer.name, value);
    }
    let [Source(last)] = topology.output_layers.as_slice() else {
        return Err("more or fewer outputs than one".into());
    };
    let value = conversion.values.get(last.as_str()).ok_or("unknown output")?;
    let shape = vec![Dim::Fixed(1), Dim::Fixed(value.channels)];
    conversion.net.finish(value, "probabilities", shape)
}

impl<'a> Conversion<'a> {
    fn layer(&mut self, layer: &'a Layer) -> Result<Value, ConvertError> {
        let config = &layer.config;
        if config.data_format.as_deref().is_some_and(|format| format != "channels_last") {
            return Err("a layout other than channels_last".into());
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
                let [a, b] = self.inputs(layer)?.try_into().map_err(|_| "more or fewer inputs than two")?;
                self.net.add(&layer.name, &a, &b)
            }
            "Concatenate" if matches!(config.axis, Some(3 | -1)) => {
                let values = self.inputs(layer)?;
                self.net.concat(&layer.name, &values.iter().collect::<Vec<_>>())
            }
            _ => Err("unsupported layer".into()),
        }
    }

    fn conv(&mut self, layer: &'a Layer) -> Result<Value, ConvertError> {
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
                return Err("padding after a ZeroPadding2D layer".into());
            }
            padding = Padding::Pixels(*pixels);
        }
        let x = self.input(layer)?;
        let window = Window { size: [0, 0], strides: config.strides.ok_or("no strides")?, padding };
        let sum = self.net.conv(name, &x, &kernel, window)?;
        Ok(self.net.activation(&format!("{name}/activation"), &sum, config.activation()?))
    }

    /// The batch normalisation to fold into a convolution, if it is the convolution's only consumer.
    fn norm_of(&self, layer: &Layer) -> Result<Option<&'a Layer>, ConvertError> {
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

    fn fold_batch_norm(&self, kernel: Kernel, norm: &Layer) -> Result<Kernel, ConvertError> {
        let config = &norm.config;
        kernel.fold_batch_norm(&Norm {
            gamma: (config.scale != Some(false)).then(|| self.vector(norm, "gamma")).transpose()?,
            beta: (config.center != Some(false)).then(|| self.vector(norm, "beta")).transpose()?,
            mean: self.vector(norm, "moving_mean")?,
            variance: self.vector(norm, "moving_variance")?,
            epsilon: config.epsilon.ok_or("no epsilon")?,
        })
    }

    fn vector(&self, layer: &Layer, weight: &str) -> Result<&'a [f32], ConvertError> {
        Ok(&self.tensors.get(&format!("{}/{weight}", layer.name), 1)?.values)
    }

    /// Checks that a batch normalisation was folded into the convolution before it.
    fn folded(&self, layer: &Layer) -> Result<Value, ConvertError> {
        let before = layer.source()?;
        let before = self.topology.layers.iter().find(|layer| layer.name == before).ok_or("unknown input")?;
        if !before.is_conv() || self.norm_of(before)?.is_none() || !matches!(layer.config.axis, Some(3 | -1))
        {
            return Err("does not directly follow a convolution".into());
        }
        self.input(layer)
    }

    fn zero_padding(&mut self, layer: &'a Layer) -> Result<Value, ConvertError> {
        let pixels: Option<[[usize; 2]; 2]> =
            layer.config.padding.as_ref().and_then(|padding| Deserialize::deserialize(padding).ok());
        let [[top, bottom], [left, right]] = pixels.ok_or("unsupported padding")?;
        let readers = self.readers(&layer.name);
        if !readers.iter().all(|reader| reader.is_conv()) {
            return Err("is not directly followed by a convolution".into());
        }
        self.padding.insert(&layer.name, [top, left, bottom, right]);
        self.input(layer)
    }

    fn pool(&mut self, layer: &Layer, pool: Pool) -> Result<Value, ConvertError> {
        let x = self.input(layer)?;
        let config = &layer.config;
        let size = config.pool_size.ok_or("no size")?;
        let strides = config.strides.unwrap_or(size);
        self.net.pool(&layer.name, &x, pool, Window { size, strides, padding: config.window_padding()? })
    }

    fn dense(&mut self, layer: &Layer) -> Result<Value, ConvertError> {
        let x = self.input(layer)?;
        let name = &layer.name;
        let weights = self.tensors.get(&format!("{name}/kernel"), 2)?;
        let bias = self.tensors.get(&format!("{name}/bias"), 1)?;
        let sum = self.net.dense(name, &x, weights, bias)?;
        Ok(self.net.activation(&format!("{name}/activation"), &sum, layer.config.activation()?))
    }

    fn readers(&self, name: &str) -> Vec<&'a Layer> {
        self.topology.layers.iter().filter(|layer| layer.reads(name)).collect()
    }

    fn input(&self, layer: &Layer) -> Result<Value, ConvertError> {
        let [value] = self.inputs(layer)?.try_into().map_err(|_| "more or fewer inputs than one")?;
        Ok(value)
    }

    fn inputs(&self, layer: &Layer) -> Result<Vec<Value>, ConvertError> {
        let sources = layer.sources()?.iter();
        let values = sources.map(|Source(source)| self.values.get(source.as_str()).cloned());
        Ok(values.collect::<Option<_>>().ok_or("unknown input")?)
    }
}
