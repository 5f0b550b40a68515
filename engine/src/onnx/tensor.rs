//! Constants and the types of their elements. Knows no operation.

use super::message::Message;

/// The type of a tensor's elements, with its number in `TensorProto.DataType`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// IEEE 754, 32 bits.
    F32 = 1,
    /// Unsigned integers of 8 bits.
    U8 = 2,
    /// Signed integers of 8 bits.
    I8 = 3,
    /// Signed integers of 64 bits.
    I64 = 7,
}

/// A constant.
#[derive(Clone, Debug, PartialEq)]
pub struct Initializer {
    /// Its name, as nodes refer to it.
    pub name: String,
    /// Its dimensions, outermost first; none for a scalar.
    pub shape: Vec<usize>,
    /// As many values as the product of the dimensions, the last dimension running fastest.
    pub data: Data,
}

/// The values of a constant.
#[derive(Clone, Debug, PartialEq)]
pub enum Data {
    /// Of [`Element::F32`].
    F32(Vec<f32>),
    /// Of [`Element::U8`].
    U8(Vec<u8>),
    /// Of [`Element::I8`].
    I8(Vec<i8>),
    /// Of [`Element::I64`].
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
