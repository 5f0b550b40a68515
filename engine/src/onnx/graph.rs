//! Graphs and their nodes.
//!
//! [`Graph::to_bytes`] returns the same bytes for the same graph, on every machine. It checks nothing: a node with a
//! wrong attribute is written as it is, and the runtime that loads the file reports it. Field numbers are those of
//! `onnx.proto`, version 1.13.

use super::{
    message::Message,
    tensor::{ElementType, Initializer},
};

/// `ModelProto.ir_version`.
const IR_VERSION: i64 = 8;
/// The operator set.
const OPSET: i64 = 17;

/// A model: a graph with named inputs and outputs, its constants, and its nodes in topological order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Graph {
    pub name: String,
    pub inputs: Vec<Port>,
    pub outputs: Vec<Port>,
    /// The constants, by name.
    pub initializers: Vec<Initializer>,
    /// In topological order.
    pub nodes: Vec<Node>,
}

/// An input or output of a graph.
#[derive(Clone, Debug, PartialEq)]
pub struct Port {
    pub name: String,
    pub element: ElementType,
    /// Outermost dimension first.
    pub shape: Vec<Dim>,
}

/// One dimension of an input or output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Dim {
    /// A fixed size.
    Fixed(usize),
    /// A size that the caller chooses. Dimensions of the same name are equal.
    Free(&'static str),
}

/// An operation.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The operator, such as `Conv`.
    pub op: &'static str,
    /// Names of graph inputs, initializers or other nodes' outputs. An empty name omits an optional input.
    pub inputs: Vec<String>,
    /// Names of its outputs.
    pub outputs: Vec<String>,
    pub attributes: Vec<(&'static str, Attribute)>,
}

/// The value of an attribute.
#[derive(Clone, Debug, PartialEq)]
pub enum Attribute {
    Int(i64),
    Float(f32),
    Text(String),
    Ints(Vec<i64>),
}

impl Graph {
    /// Serializes the graph as an ONNX file.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut opset = Message::default();
        opset.text(1, "");
        opset.int(2, OPSET);
        let mut model = Message::default();
        model.int(1, IR_VERSION);
        model.text(2, "gavel");
        model.message(7, &self.message());
        model.message(8, &opset);
        model.into_bytes()
    }

    fn message(&self) -> Message {
        let mut graph = Message::default();
        for node in &self.nodes {
            graph.message(1, &node.message());
        }
        graph.text(2, &self.name);
        for initializer in &self.initializers {
            graph.message(5, &initializer.message());
        }
        for input in &self.inputs {
            graph.message(11, &input.message());
        }
        for output in &self.outputs {
            graph.message(12, &output.message());
        }
        graph
    }
}

impl Port {
    #[must_use]
    pub fn f32(name: &str, shape: Vec<Dim>) -> Self {
        Port { name: name.into(), element: ElementType::F32, shape }
    }

    #[must_use]
    pub fn i64(name: &str, shape: Vec<Dim>) -> Self {
        Port { name: name.into(), element: ElementType::I64, shape }
    }

    fn message(&self) -> Message {
        let mut shape = Message::default();
        for dim in &self.shape {
            let mut message = Message::default();
            match dim {
                Dim::Fixed(size) => message.int(1, *size as i64),
                Dim::Free(name) => message.text(2, name),
            }
            shape.message(1, &message);
        }
        let mut tensor = Message::default();
        tensor.int(1, self.element as i64);
        tensor.message(2, &shape);
        let mut kind = Message::default();
        kind.message(1, &tensor);
        let mut port = Message::default();
        port.text(1, &self.name);
        port.message(2, &kind);
        port
    }
}

impl Node {
    /// A node with one output and no attributes.
    #[must_use]
    pub fn new(op: &'static str, inputs: &[&str], output: &str) -> Self {
        let inputs = inputs.iter().map(|&name| name.into()).collect();
        Node { op, inputs, outputs: vec![output.into()], attributes: Vec::new() }
    }

    /// Adds an attribute.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: Attribute) -> Self {
        self.attributes.push((name, value));
        self
    }

    fn message(&self) -> Message {
        let mut node = Message::default();
        for input in &self.inputs {
            node.text(1, input);
        }
        for output in &self.outputs {
            node.text(2, output);
        }
        node.text(3, self.outputs.first().map_or("", String::as_str));
        node.text(4, self.op);
        for (name, value) in &self.attributes {
            node.message(5, &value.message(name));
        }
        node
    }
}

impl Attribute {
    fn message(&self, name: &str) -> Message {
        let mut attribute = Message::default();
        attribute.text(1, name);
        let kind = match self {
            Attribute::Float(value) => {
                attribute.float(2, *value);
                1
            }
            Attribute::Int(value) => {
                attribute.int(3, *value);
                2
            }
            Attribute::Text(value) => {
                attribute.text(4, value);
                3
            }
            Attribute::Ints(values) => {
                values.iter().for_each(|value| attribute.int(8, *value));
                7
            }
        };
        attribute.int(20, kind);
        attribute
    }
}
