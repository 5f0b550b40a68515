//! Builds ONNX graphs from the pieces of a transformer.
//!
//! Activations are f32. Before a quantised linear layer each token's vector is divided by its largest magnitude and
//! rounded to 8 bits, so that a token's result never depends on what shares its batch.

use std::collections::HashSet;

use super::weights::{LinearLayer, Matrix};
use crate::onnx::{Attribute, Dim, Graph, Initializer, Node, Port, TensorData};

/// The width of an attention head.
pub(super) const HEAD_WIDTH: usize = 32;
/// BERT's epsilon.
const EPSILON: f32 = 1e-12;
/// The byte that stands for 0.
const ZERO_BYTE: u8 = 128;
/// The magnitude that the largest byte stands for.
const LARGEST_BYTE: f32 = 127.0;

/// A graph under construction. Its methods take and return the names of values.
pub(super) struct GraphBuilder {
    graph: Graph,
    names_given: usize,
}

/// A value in f32 and in the bytes that quantised layers read.
pub(super) struct Quantised {
    value: String,
    bytes: String,
    /// The largest magnitude in each token's vector.
    largest: String,
}

/// The values that attention reads.
pub(super) struct Attention<'a> {
    /// Already divided by the root of [`HEAD_WIDTH`].
    pub(super) queries: &'a str,
    pub(super) keys: &'a str,
    pub(super) values: &'a str,
    /// Added to the scores.
    pub(super) mask: &'a str,
}

impl Quantised {
    /// A value that only plain layers read; it has no bytes.
    pub(super) fn plain(value: &str) -> Self {
        Self { value: value.into(), bytes: String::new(), largest: String::new() }
    }
}

impl GraphBuilder {
    pub(super) fn new(name: &str) -> Self {
        let mut net = Self { graph: Graph { name: name.into(), ..Graph::default() }, names_given: 0 };
        net.name_constant("byte_zero", vec![], TensorData::U8(vec![ZERO_BYTE]));
        net.name_constant("weight_zero", vec![], TensorData::I8(vec![0]));
        net.name_constant("one", vec![], TensorData::F32(vec![1.0]));
        net.name_constant("half", vec![], TensorData::F32(vec![0.5]));
        net.name_constant("root_two", vec![], TensorData::F32(vec![std::f32::consts::SQRT_2]));
        net.name_constant("largest", vec![], TensorData::F32(vec![LARGEST_BYTE]));
        net.name_constant("least", vec![], TensorData::F32(vec![1e-9]));
        net.name_constant("heads_of", vec![4], TensorData::I64(vec![0, 0, -1, HEAD_WIDTH as i64]));
        net.name_constant("joined", vec![3], TensorData::I64(vec![0, 0, -1]));
        net
    }

    /// Adds an f32 input.
    pub(super) fn input(&mut self, name: &str, shape: Vec<Dim>) -> String {
        self.graph.inputs.push(Port::f32(name, shape));
        name.into()
    }

    /// Adds `value` as the output `name`.
    pub(super) fn output(&mut self, value: &str, name: &str, shape: Vec<Dim>) {
        self.graph.nodes.push(Node::new("Identity", &[value], name));
        self.graph.outputs.push(Port::f32(name, shape));
    }

    pub(super) fn finish(mut self) -> Graph {
        // ONNX Runtime warns about unused constants.
        let read: HashSet<&String> = self.graph.nodes.iter().flat_map(|node| &node.inputs).collect();
        self.graph.initializers.retain(|constant| read.contains(&constant.name));
        self.graph
    }

    /// Rounds each token's vector to bytes.
    pub(super) fn quantise(&mut self, value: &str) -> Quantised {
        let magnitudes = self.op("Abs", &[value]);
        let largest = self.node("ReduceMax", &[&magnitudes], |node| {
            node.with("axes", Attribute::Ints(vec![-1])).with("keepdims", Attribute::Int(1))
        });
        let largest = self.op("Max", &[&largest, "least"]);
        let finer = self.op("Div", &["largest", &largest]);
        let stretched = self.op("Mul", &[value, &finer]);
        let bytes = self.op("QuantizeLinear", &[&stretched, "one", "byte_zero"]);
        Quantised { value: value.into(), bytes, largest }
    }

    /// Divides each channel by a constant and rounds each token's vector to bytes.
    pub(super) fn quantise_divided(&mut self, value: &str, divisor: &[f32]) -> Quantised {
        let inverse: Vec<f32> = divisor.iter().map(|divisor| divisor.recip()).collect();
        let inverse = self.vector(&inverse);
        let divided = self.op("Mul", &[value, &inverse]);
        self.quantise(&divided)
    }

    /// Applies a linear layer.
    pub(super) fn linear(&mut self, x: &Quantised, linear: &LinearLayer) -> String {
        let shape = vec![linear.inputs, linear.outputs];
        let bias = self.vector(&linear.bias);
        let sums = match &linear.weight {
            Matrix::Plain(weight) => {
                let weight = self.constant(shape, TensorData::F32(transposed(weight, linear.inputs)));
                self.op("MatMul", &[&x.value, &weight])
            }
            Matrix::Quantised(weight, scale) => {
                let weight = self.constant(shape, TensorData::I8(transposed(weight, linear.inputs)));
                let scale: Vec<f32> = scale.iter().map(|scale| scale / LARGEST_BYTE).collect();
                let scale = self.vector(&scale);
                let sums = self.op("MatMulInteger", &[&x.bytes, &weight, "byte_zero", "weight_zero"]);
                let sums = self.node("Cast", &[&sums], |node| node.with("to", Attribute::Int(1)));
                let sums = self.op("Mul", &[&sums, &scale]);
                self.op("Mul", &[&sums, &x.largest])
            }
        };
        self.op("Add", &[&sums, &bias])
    }

    /// A mask that hides nothing.
    pub(super) fn empty_mask(&mut self) -> String {
        self.constant(vec![1], TensorData::F32(vec![0.0]))
    }

    /// `LayerNorm(value)` with BERT's epsilon.
    pub(super) fn layer_norm(&mut self, value: &str, weight: &[f32], bias: &[f32]) -> String {
        self.layer_norm_within(value, weight, bias, EPSILON)
    }

    /// `LayerNorm(value)` with another epsilon.
    pub(super) fn layer_norm_within(
        &mut self,
        value: &str,
        weight: &[f32],
        bias: &[f32],
        epsilon: f32,
    ) -> String {
        let weight = self.vector(weight);
        let bias = self.vector(bias);
        self.node("LayerNormalization", &[value, &weight, &bias], |node| {
            node.with("axis", Attribute::Int(-1)).with("epsilon", Attribute::Float(epsilon))
        })
    }

    /// The exact GELU, written so that both runtimes fuse it into one operation.
    pub(super) fn gelu(&mut self, value: &str) -> String {
        let share = self.op("Div", &[value, "root_two"]);
        let share = self.op("Erf", &[&share]);
        let share = self.op("Add", &[&share, "one"]);
        let gated = self.op("Mul", &[value, &share]);
        self.op("Mul", &[&gated, "half"])
    }

    /// Splits `[batch, tokens, parts * heads * HEAD_WIDTH]` into `parts` values of `[batch, heads, tokens,
    /// HEAD_WIDTH]`.
    pub(super) fn heads<const PARTS: usize>(&mut self, value: &str) -> [String; PARTS] {
        let split = self.op("Reshape", &[value, "heads_of"]);
        let turned = self.transpose(&split, &[0, 2, 1, 3]);
        if PARTS == 1 {
            return std::array::from_fn(|_| turned.clone());
        }
        let outputs: [String; PARTS] = std::array::from_fn(|_| self.fresh_name());
        let mut node = Node::new("Split", &[&turned], "").with("axis", Attribute::Int(1));
        node.outputs = outputs.to_vec();
        self.graph.nodes.push(node);
        outputs
    }

    /// Computes attention.
    pub(super) fn attend(&mut self, attention: &Attention<'_>) -> String {
        let keys = self.transpose(attention.keys, &[0, 1, 3, 2]);
        let scores = self.op("MatMul", &[attention.queries, &keys]);
        let scores = self.op("Sum", &[&scores, attention.mask]);
        let shares = self.node("Softmax", &[&scores], |node| node.with("axis", Attribute::Int(-1)));
        let seen = self.op("MatMul", &[&shares, attention.values]);
        let seen = self.transpose(&seen, &[0, 2, 1, 3]);
        self.op("Reshape", &[&seen, "joined"])
    }

    /// Concatenates values along their last dimension.
    pub(super) fn concatenate(&mut self, values: &[String]) -> String {
        let values: Vec<&str> = values.iter().map(String::as_str).collect();
        self.node("Concat", &values, |node| node.with("axis", Attribute::Int(-1)))
    }

    /// Concatenates the keys or the values of attention along the tokens.
    pub(super) fn append_tokens(&mut self, first: &str, second: &str) -> String {
        self.node("Concat", &[first, second], |node| node.with("axis", Attribute::Int(2)))
    }

    /// Adds an operation without attributes.
    pub(super) fn op(&mut self, op: &'static str, inputs: &[&str]) -> String {
        self.node(op, inputs, |node| node)
    }

    fn transpose(&mut self, value: &str, order: &[i64]) -> String {
        self.node("Transpose", &[value], |node| node.with("perm", Attribute::Ints(order.to_vec())))
    }

    fn node(&mut self, op: &'static str, inputs: &[&str], with: impl FnOnce(Node) -> Node) -> String {
        let name = self.fresh_name();
        self.graph.nodes.push(with(Node::new(op, inputs, &name)));
        name
    }

    fn vector(&mut self, values: &[f32]) -> String {
        self.constant(vec![values.len()], TensorData::F32(values.to_vec()))
    }

    fn constant(&mut self, shape: Vec<usize>, data: TensorData) -> String {
        let name = self.fresh_name();
        self.name_constant(&name, shape, data);
        name
    }

    fn name_constant(&mut self, name: &str, shape: Vec<usize>, data: TensorData) {
        self.graph.initializers.push(Initializer { name: name.into(), shape, data });
    }

    fn fresh_name(&mut self) -> String {
        self.names_given += 1;
        format!("v{}", self.names_given)
    }
}

fn transposed<T: Copy>(matrix: &[T], columns: usize) -> Vec<T> {
    (0..columns).flat_map(|column| matrix.iter().skip(column).step_by(columns).copied()).collect()
}
