//! Converts TensorFlow.js "layers models", which have the topology of Keras 2. Unknown layers and settings are refused.

mod conversion;
mod topology;

pub(super) use conversion::convert;
