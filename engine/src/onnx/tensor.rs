//! Constants and their element types.

use super::message::Message;

/// A tensor's element type, with its number in `TensorProto.DataType`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    F32 = 1,
    U8 = 2,
    I8 = 3,
    I64 = 7,
}

/// A constant tensor.
#[derive(Clone, Debug, PartialEq)]
pub struct Initializer {
    pub name: String,
    /// Outermost dimension first; empty for a scalar.
    pub shape: Vec<usize>,
    /// Row-major; as many values as the product of the dimensions.
    pub data: Data,
}

/// A constant's values.
#[derive(Clone, Debug, PartialEq)]
pub enum Data {
    F32(Vec<f32>),
    U8(Vec<u8>),
    I8(Vec<i8>),
    I64(Vec<i64>),
}

impl Data {
    fn element(&self) -> Element {
        match self {
            Data::F32(_) => Element::F32,
            Data::U8(_) => Element::U8,
            Data::I8(_) => Element::I8,
            Data::I64(_) => Element::I64,
        }
    }

    fn to_bytes(&self) -> Vec<u8> {
        match self {
            Data::F32(values) => values.iter().flat_map(|value| value.to_le_bytes()).collect(),
            Data::U8(values) => values.clone(),
            Data::I8(values) => values.iter().map(|value| value.cast_unsigned()).collect(),
            Data::I64(values) => values.iter().flat_map(|value| value.to_le_bytes()).collect(),
        }
    }
}

impl Initializer {
    pub(super) fn message(&self) -> Message {
        let mut tensor = Message::default();
        for size in &self.shape {
            tensor.int(1, *size as i64);
        }
        tensor.int(2, self.data.element() as i64);
        tensor.text(8, &self.name);
        tensor.bytes(9, &self.data.to_bytes());
        tensor
    }
}
