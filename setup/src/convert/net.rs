//! Builds the ONNX graph of a convolutional network, NCHW, and tracks the sizes that TensorFlow's padding needs.

use super::{error::ConvertError, kernel::Kernel, tensors::Tensor, window::Window};
use engine::onnx::{Attribute, Dim, Graph, Initializer, Node, Port, TensorData};

/// A graph under construction.
pub(super) struct GraphBuilder(Graph);

/// The output of a node: `[batch, channels, height, width]`, or `[batch, channels]` with sides of 1 after flattening.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Value {
    pub(super) name: String,
    pub(super) channels: usize,
    pub(super) height: usize,
    pub(super) width: usize,
}

/// An activation function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Activation {
    Linear,
    Relu,
    /// Clipped to 0 to 6.
    Relu6,
    /// Leaky ReLU with a slope of 0.1.
    Leaky,
    /// Over the channels.
    Softmax,
}

/// The kind of a pooling layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pool {
    /// The mean without padding.
    Average,
    Max,
}

impl GraphBuilder {
    /// A graph with the input `image` of the shape `[batch, 3, height, width]`. Padding is computed for `pixels`, a
    /// height and a width.
    pub(super) fn new(
        name: &str,
        batch: Dim,
        [height, width]: [Dim; 2],
        pixels: [usize; 2],
    ) -> (Self, Value) {
        let input = Port::f32("image", vec![batch, Dim::Fixed(3), height, width]);
        let net = GraphBuilder(Graph { name: name.into(), inputs: vec![input], ..Graph::default() });
        (net, Value { name: "image".into(), channels: 3, height: pixels[0], width: pixels[1] })
    }

    /// A convolution with the strides and the padding of `window`, and the size of the kernel.
    ///
    /// # Errors
    /// If the kernel has another number of channels, or is larger than the image.
    pub(super) fn conv(
        &mut self,
        name: &str,
        x: &Value,
        kernel: &Kernel,
        window: Window,
    ) -> Result<Value, ConvertError> {
        let shape = &kernel.weights.shape;
        if shape[1] * kernel.groups != x.channels {
            return Err(format!("{name}: a kernel of shape {shape:?} over {} channels", x.channels).into());
        }
        let mut window = window;
        window.size = [shape[2], shape[3]];
        let weights = self.constant(&format!("{name}/weights"), &kernel.weights);
        let bias = self.vector(&format!("{name}/bias"), &kernel.bias);
        let node = Node::new("Conv", &[&x.name, &weights, &bias], name)
            .with("group", Attribute::Int(kernel.groups as i64));
        self.windowed(node, x, shape[0], window)
    }

    /// A pooling layer.
    ///
    /// # Errors
    /// If the window is larger than the image.
    pub(super) fn pool(
        &mut self,
        name: &str,
        x: &Value,
        pool: Pool,
        window: Window,
    ) -> Result<Value, ConvertError> {
        let op = if pool == Pool::Average { "AveragePool" } else { "MaxPool" };
        self.windowed(Node::new(op, &[&x.name], name), x, x.channels, window)
    }

    /// `x` after an activation; `x` itself after [`Activation::Linear`].
    pub(super) fn activation(&mut self, name: &str, x: &Value, activation: Activation) -> Value {
        let node = match activation {
            Activation::Linear => return x.clone(),
            Activation::Relu => Node::new("Relu", &[&x.name], name),
            Activation::Relu6 => {
                let [low, high] = [0.0, 6.0].map(|bound| self.scalar(&format!("clip/{bound}"), bound));
                Node::new("Clip", &[&x.name, &low, &high], name)
            }
            Activation::Leaky => {
                Node::new("LeakyRelu", &[&x.name], name).with("alpha", Attribute::Float(0.1))
            }
            Activation::Softmax => Node::new("Softmax", &[&x.name], name).with("axis", Attribute::Int(1)),
        };
        self.push(node, x.channels, [x.height, x.width])
    }

    /// `op` of `x` and a constant, either one number or one per channel.
    pub(super) fn with_constant(
        &mut self,
        name: &str,
        op: &'static str,
        x: &Value,
        constant: &[f32],
    ) -> Value {
        let shape = if constant.len() == 1 { vec![] } else { vec![1, constant.len(), 1, 1] };
        let tensor = Tensor { shape, values: constant.to_vec() };
        let constant = self.constant(&format!("{name}/constant"), &tensor);
        self.push(Node::new(op, &[&x.name, &constant], name), x.channels, [x.height, x.width])
    }

    /// The sum of two values of the same shape.
    ///
    /// # Errors
    /// If the shapes differ.
    pub(super) fn add(&mut self, name: &str, a: &Value, b: &Value) -> Result<Value, ConvertError> {
        let same = (a.channels, a.height, a.width) == (b.channels, b.height, b.width);
        if !same {
            return Err(format!("{name}: the sum of {a:?} and {b:?}").into());
        }
        Ok(self.push(Node::new("Add", &[&a.name, &b.name], name), a.channels, [a.height, a.width]))
    }

    /// Concatenates the channels of all `values`.
    ///
    /// # Errors
    /// If there are no values, or the image sizes differ.
    pub(super) fn concat(&mut self, name: &str, values: &[&Value]) -> Result<Value, ConvertError> {
        let first = values.first().ok_or_else(|| format!("{name}: nothing to join"))?;
        let sides = [first.height, first.width];
        if values.iter().any(|value| [value.height, value.width] != sides) {
            return Err(format!("{name}: images of different sizes").into());
        }
        let names: Vec<&str> = values.iter().map(|value| value.name.as_str()).collect();
        let channels = values.iter().map(|value| value.channels).sum();
        Ok(self.push(Node::new("Concat", &names, name).with("axis", Attribute::Int(1)), channels, sides))
    }

    /// Flattens an image of one pixel to `[batch, channels]`.
    ///
    /// # Errors
    /// If there are more pixels, whose order would depend on the layout.
    pub(super) fn flatten(&mut self, name: &str, x: &Value) -> Result<Value, ConvertError> {
        if [x.height, x.width] != [1, 1] {
            return Err(format!("{name}: flattens {} x {} pixels", x.height, x.width).into());
        }
        Ok(self.push(
            Node::new("Flatten", &[&x.name], name).with("axis", Attribute::Int(1)),
            x.channels,
            [1, 1],
        ))
    }

    /// `x * weights + bias`, of a flattened `x` and weights `[in, out]`.
    ///
    /// # Errors
    /// If the sizes do not match.
    pub(super) fn dense(
        &mut self,
        name: &str,
        x: &Value,
        weights: &Tensor,
        bias: &Tensor,
    ) -> Result<Value, ConvertError> {
        let out = bias.values.len();
        if [x.height, x.width] != [1, 1] || weights.shape != [x.channels, out] {
            return Err(format!("{name}: weights of shape {:?} for {x:?}", weights.shape).into());
        }
        let weights = self.constant(&format!("{name}/weights"), weights);
        let bias = self.vector(&format!("{name}/bias"), &bias.values);
        Ok(self.push(Node::new("Gemm", &[&x.name, &weights, &bias], name), out, [1, 1]))
    }

    /// Finishes the graph with `value`, which must be the last one added, as its output.
    ///
    /// # Errors
    /// If `value` was not added last.
    pub(super) fn finish(
        mut self,
        value: &Value,
        output: &str,
        shape: Vec<Dim>,
    ) -> Result<Graph, ConvertError> {
        let last = self.0.nodes.last_mut().filter(|node| node.outputs == [value.name.as_str()]);
        last.ok_or_else(|| format!("{} is not the last value", value.name))?.outputs = vec![output.into()];
        self.0.outputs = vec![Port::f32(output, shape)];
        Ok(self.0)
    }

    fn windowed(
        &mut self,
        node: Node,
        x: &Value,
        channels: usize,
        window: Window,
    ) -> Result<Value, ConvertError> {
        let spans = window.along(0, x.height).zip(window.along(1, x.width));
        let Some((vertical, horizontal)) = spans else {
            return Err(format!("{}: {window:?} over {x:?}", node.outputs[0]).into());
        };
        let pads = [vertical.before, horizontal.before, vertical.after, horizontal.after];
        let node = node
            .with("kernel_shape", ints(&window.size))
            .with("strides", ints(&window.strides))
            .with("pads", ints(&pads));
        Ok(self.push(node, channels, [vertical.outputs, horizontal.outputs]))
    }

    fn push(&mut self, node: Node, channels: usize, [height, width]: [usize; 2]) -> Value {
        let name = node.outputs[0].clone();
        self.0.nodes.push(node);
        Value { name, channels, height, width }
    }

    fn vector(&mut self, name: &str, values: &[f32]) -> String {
        self.constant(name, &Tensor { shape: vec![values.len()], values: values.to_vec() })
    }

    fn scalar(&mut self, name: &str, value: f32) -> String {
        self.constant(name, &Tensor { shape: vec![], values: vec![value] })
    }

    /// Adds a constant, once for each name.
    fn constant(&mut self, name: &str, tensor: &Tensor) -> String {
        if !self.0.initializers.iter().any(|initializer| initializer.name == name) {
            let data = TensorData::F32(tensor.values.clone());
            self.0.initializers.push(Initializer { name: name.into(), shape: tensor.shape.clone(), data });
        }
        name.into()
    }
}

fn ints(values: &[usize]) -> Attribute {
    Attribute::Ints(values.iter().map(|&value| value as i64).collect())
}
