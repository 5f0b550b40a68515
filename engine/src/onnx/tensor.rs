//! Constants and their element types.

use super::message::Message;

/// A tensor's element type, with its number in `TensorProto.DataType`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElementType {
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
    pub data: TensorData,
}

/// A constant's values.
#[derive(Clone, Debug, PartialEq)]
pub enum TensorData {
    F32(Vec<f32>),
    U8(Vec<u8>),
    I8(Vec<i8>),
    I64(Vec<i64>),
}

impl TensorData {
    fn element(&self) -> ElementType {
        match self {
            TensorData::F32(_) => ElementType::F32,
            TensorData::U8(_) => ElementType::U8,
            TensorData::I8(_) => ElementType::I8,
            TensorData::I64(_) => ElementType::I64,
        }
    }

    fn to_bytes(&self) -> Vec<u8> {
        match self {
            TensorData::F32(values) => values.iter().flat_map(|value| value.to_le_bytes()).collect(),
            TensorData::U8(values) => values.clone(),
            TensorData::I8(values) => values.iter().map(|value| value.cast_unsigned()).collect(),
            TensorData::I64(values) => values.iter().flat_map(|value| value.to_le_bytes()).collect(),
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
