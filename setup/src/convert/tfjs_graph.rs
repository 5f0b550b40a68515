//! Converts TensorFlow.js "graph models": frozen TensorFlow graphs with fused operations. Unknown operations are
//! refused.

use std::collections::HashMap;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::Deserialize;
use serde_json::{Map, Value as Json};

use super::{
    error::ConvertError,
    kernel::Kernel,
    net::{Activation, GraphBuilder, Pool, Value},
    tensors::Tensors,
    window::{Padding, VALID, Window},
};
use engine::onnx::{Dim, Graph};

#[derive(Deserialize)]
struct Node {
    name: String,
    op: String,
    #[serde(default)]
    input: Vec<String>,
    #[serde(default)]
    attr: Map<String, Json>,
}

struct Conversion<'a> {
    tensors: &'a Tensors,
    net: GraphBuilder,
    values: HashMap<String, Value>,
}

/// Converts `topology`, which is in topological order, to a graph with the output `probabilities`.
///
/// # Errors
/// If anything is unsupported.
pub(super) fn convert(name: &str, topology: &Json, tensors: &Tensors) -> Result<Graph, ConvertError> {
    let nodes = Vec::<Node>::deserialize(&topology["node"])
        .map_err(|error| ConvertError::from(format!("topology: {error}")))?;
    let input = nodes.iter().find(|node| node.op == "Placeholder").ok_or("no input")?;
    let [height, width] = input.image_sides().ok_or("the input is not for RGB images of a fixed size")?;
    let sides = [Dim::Fixed(height), Dim::Fixed(width)];
    let (net, image) = GraphBuilder::new(name, Dim::Fixed(1), sides, [height, width]);
    let values = HashMap::from([(input.name.clone(), image.clone())]);
    let mut conversion = Conversion { tensors, net, values };
    let mut last = image;
    for node in nodes.iter().filter(|node| !matches!(node.op.as_str(), "Placeholder" | "Const")) {
        last = conversion.node(node).map_err(|error| error.within(format!("{} {}", node.op, node.name)))?;
        conversion.values.insert(node.name.clone(), last.clone());
    }
    let shape = vec![Dim::Fixed(1), Dim::Fixed(last.channels)];
    conversion.net.finish(&last, "probabilities", shape)
}

impl Conversion<'_> {
    fn node(&mut self, node: &Node) -> Result<Value, ConvertError> {
        let name = node.name.as_str();
        let read: Vec<&str> =
            node.input.iter().map(String::as_str).filter(|input| !input.starts_with('^')).collect();
        match (node.op.as_str(), read.as_slice()) {
            ("_FusedConv2D" | "FusedDepthwiseConv2dNative", &[x, weights, bias]) => {
                let weights = self.tensors.get(weights, 4)?;
                let kernel = match node.op.as_str() {
                    "_FusedConv2D" => Kernel::full(weights),
                    _ => Kernel::depthwise(weights)?,
                };
                let kernel = kernel.with_bias(&self.tensors.get(bias, 1)?.values)?;
                let x = self.value(x)?;
                let sum = self.net.conv(name, &x, &kernel, node.window("dilations")?)?;
                Ok(self.net.activation(&format!("{name}/activation"), &sum, node.activation()?))
            }
            ("Mul", &[factor, x]) => self.constant(name, "Mul", x, factor),
            ("Sub", &[x, offset]) => self.constant(name, "Sub", x, offset),
            ("AddV2", &[a, b]) => {
                let a = self.value(a)?;
                let b = self.value(b)?;
                self.net.add(name, &a, &b)
            }
            ("AvgPool", &[x]) => {
                let x = self.value(x)?;
                self.net.pool(name, &x, Pool::Average, node.window("ksize")?)
            }
            ("Squeeze", &[x]) if node.numbers("squeeze_dims") == [1, 2] => {
                let x = self.value(x)?;
                self.net.flatten(name, &x)
            }
            ("_FusedMatMul", &[x, weights, bias])
                if !node.is_set("transpose_a") && !node.is_set("transpose_b") =>
            {
                let x = self.value(x)?;
                let sum =
                    self.net.dense(name, &x, self.tensors.get(weights, 2)?, self.tensors.get(bias, 1)?)?;
                Ok(self.net.activation(&format!("{name}/activation"), &sum, node.activation()?))
            }
            ("Softmax", &[x]) => {
                let x = self.value(x)?;
                Ok(self.net.activation(name, &x, Activation::Softmax))
            }
            ("Identity", &[x]) => self.value(x),
            _ => Err("unsupported operation".into()),
        }
    }

    fn value(&self, name: &str) -> Result<Value, ConvertError> {
        self.values.get(name).cloned().ok_or_else(|| format!("unknown input {name}").into())
    }

    fn constant(
        &mut self,
        name: &str,
        op: &'static str,
        x: &str,
        constant: &str,
    ) -> Result<Value, ConvertError> {
        let x = self.value(x)?;
        let constant = self.tensors.get(constant, 0)?;
        Ok(self.net.with_constant(name, op, &x, &constant.values))
    }
}

impl Node {
    /// The height and the width of a placeholder `[any, height, width, 3]`.
    fn image_sides(&self) -> Option<[usize; 2]> {
        let dims = self.attr.get("shape")?.pointer("/shape/dim")?.as_array()?;
        let sizes: Vec<i64> = dims.iter().filter_map(|dim| integer(&dim["size"])).collect();
        let &[-1, height, width, 3] = sizes.as_slice() else { return None };
        Some([usize::try_from(height).ok()?, usize::try_from(width).ok()?])
    }

    /// Window, strides and padding. `size` is the attribute with the window's size, or with dilations, all 1, where the
    /// kernel has the size.
    fn window(&self, size: &str) -> Result<Window, ConvertError> {
        let size_sides = self.sides(size).ok_or_else(|| format!("no {size}"))?;
        let strides = self.sides("strides").ok_or("no strides")?;
        if size == "dilations" && size_sides != [1, 1] || self.texts("data_format")? != ["NHWC"] {
            return Err("dilation or another layout".into());
        }
        let padding = match self.texts("padding")?.as_slice() {
            [same] if same == "SAME" => Padding::Same,
            [valid] if valid == "VALID" => VALID,
            other => return Err(format!("unsupported padding {other:?}").into()),
        };
        Ok(Window { size: size_sides, strides, padding })
    }

    /// Height and width in a list `[1, height, width, 1]`.
    fn sides(&self, name: &str) -> Option<[usize; 2]> {
        let &[1, height, width, 1] = self.numbers(name).as_slice() else { return None };
        Some([usize::try_from(height).ok()?, usize::try_from(width).ok()?])
    }

    fn activation(&self) -> Result<Activation, ConvertError> {
        let fused = self.texts("fused_ops")?;
        match fused.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
            ["BiasAdd"] => Ok(Activation::Linear),
            ["BiasAdd", "Relu"] => Ok(Activation::Relu),
            ["BiasAdd", "Relu6"] => Ok(Activation::Relu6),
            other => Err(format!("unsupported fusion {other:?}").into()),
        }
    }

    fn is_set(&self, name: &str) -> bool {
        self.attr.get(name).is_some_and(|value| value["b"] == true)
    }

    fn numbers(&self, name: &str) -> Vec<i64> {
        let list = self.attr.get(name).and_then(|value| value.pointer("/list/i")).and_then(Json::as_array);
        list.into_iter().flatten().filter_map(integer).collect()
    }

    /// Decodes a base64 string attribute or a list of them.
    fn texts(&self, name: &str) -> Result<Vec<String>, ConvertError> {
        let value = self.attr.get(name).ok_or_else(|| format!("no {name}"))?;
        let list = value.pointer("/list/s").and_then(Json::as_array).cloned();
        let texts = list.unwrap_or_else(|| vec![value["s"].clone()]);
        let decoded: Option<Vec<_>> = texts.iter().map(decoded).collect();
        decoded.ok_or_else(|| format!("{name} is not a text").into())
    }
}

fn decoded(text: &Json) -> Option<String> {
    String::from_utf8(STANDARD.decode(text.as_str()?).ok()?).ok()
}

/// 64-bit integers are strings in the JSON form of protocol buffers.
fn integer(value: &Json) -> Option<i64> {
    value.as_i64().or_else(|| value.as_str()?.parse().ok())
}
