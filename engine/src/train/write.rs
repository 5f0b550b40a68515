//! Writes a head as a weight file, in the format `encoder` reads. The same head gives the same bytes.

use std::collections::BTreeMap;

use candle_core::Tensor;
use serde_json::{Map, Value, json};

use super::{
    error::TrainError,
    head::{Head, Linear},
};

/// The version of the format.
const FORMAT: &str = "1";
/// Magnitude of the largest weight of a quantised matrix: with 7 bits, sums of products with bytes never leave 16 bits on
/// processors without VNNI.
const LARGEST: f32 = 63.0;
/// How much of a row's largest magnitude its scale may stand for; what is beyond is clipped.
const SHARES: [f32; 7] = [1.0, 0.95, 0.9, 0.85, 0.8, 0.75, 0.7];

/// What a weight file says of its head.
#[derive(Clone, Debug, PartialEq)]
pub struct HeadMetadata {
    /// Name, such as `gavel-decision`.
    pub name: String,
    /// Version.
    pub version: String,
    /// SHA-256 of the weight file of the backbone that it was trained on, in hexadecimal; with another it answers nonsense.
    pub backbone: String,
    /// By what logits are divided: question types, and for each a number for every range of option counts.
    pub temperatures: BTreeMap<String, Vec<f32>>,
}

/// How a head's matrices are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// All as they are: 7.7 MB at a width of 384.
    F32,
    /// Those of the layer in 7 bits, with a scale for each row; the score layers as it is: 2.4 MB.
    Quantised,
}

/// A file under construction. Tensors of F32 come first, so that each lies at a multiple of its width.
struct File {
    header: Map<String, Value>,
    data: Vec<u8>,
}

impl Head {
    /// The bytes of a safetensors file, as described at the encoder's reader. Its metadata is the metadata's; `config` has
    /// `backbone` and `temperatures`.
    ///
    /// # Errors
    /// A weight that is not a number.
    pub fn to_bytes(&self, metadata: &HeadMetadata, precision: Precision) -> Result<Vec<u8>, TrainError> {
        let config = json!({ "backbone": metadata.backbone, "temperatures": metadata.temperatures });
        let metadata = json!({
            "name": metadata.name,
            "version": metadata.version,
            "format": FORMAT,
            "config": config.to_string(),
        });
        let mut file = File { header: Map::new(), data: Vec::new() };
        file.header.insert("__metadata__".into(), metadata);
        for (name, weight, bias) in self.norms() {
            file.floats(format!("{name}.weight"), weight.dims(), &finite(name, weight)?);
            file.floats(format!("{name}.bias"), bias.dims(), &finite(name, bias)?);
        }
        let mut rounded = Vec::new();
        for part in self.linears() {
            let Linear { name, weight, bias } = part;
            let (dims, values) = (weight.dims(), finite(name, weight)?);
            if precision == Precision::Quantised && name.starts_with("encoder.") {
                let rows = values.chunks_exact(weight.dim(1)?).map(quantised);
                let (rows, scales): (Vec<Vec<u8>>, Vec<f32>) = rows.unzip();
                file.floats(format!("{name}.scale"), &dims[..1], &scales);
                rounded.push((format!("{name}.weight"), dims, rows.concat()));
            } else {
                file.floats(format!("{name}.weight"), dims, &values);
            }
            file.floats(format!("{name}.bias"), bias.dims(), &finite(name, bias)?);
        }
        for (name, dims, bytes) in rounded {
            file.tensor(name, "I8", dims, &bytes);
        }
        Ok(file.into_bytes())
    }
}

impl File {
    fn floats(&mut self, name: String, shape: &[usize], values: &[f32]) {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.tensor(name, "F32", shape, &bytes);
    }

    fn tensor(&mut self, name: String, dtype: &str, shape: &[usize], bytes: &[u8]) {
        let start = self.data.len();
        self.data.extend_from_slice(bytes);
        let place = json!({ "dtype": dtype, "shape": shape, "data_offsets": [start, self.data.len()] });
        self.header.insert(name, place);
    }

    /// The length of the header, the header, blanks up to a multiple of 8, the data:
    /// <https://github.com/huggingface/safetensors#format>.
    fn into_bytes(self) -> Vec<u8> {
        let mut header = Value::Object(self.header).to_string().into_bytes();
        header.resize(header.len().next_multiple_of(8), b' ');
        [&(header.len() as u64).to_le_bytes()[..], &header, &self.data].concat()
    }
}

fn finite(name: &str, tensor: &Tensor) -> Result<Vec<f32>, TrainError> {
    let values = tensor.flatten_all()?.to_vec1::<f32>()?;
    match values.iter().all(|value| value.is_finite()) {
        true => Ok(values),
        false => Err(TrainError::Unfit(format!("`{name}` has a weight that is not a number"))),
    }
}

/// A row in bytes of two's complement, and its scale: of a few clippings, the one with the least squared error.
fn quantised(row: &[f32]) -> (Vec<u8>, f32) {
    let largest = row.iter().fold(1e-12f32, |largest, value| largest.max(value.abs()));
    let round = |value: f32, scale: f32| (value / scale).round_ties_even().clamp(-LARGEST, LARGEST);
    let error =
        |scale: f32| row.iter().map(|&value| (round(value, scale) * scale - value).powi(2)).sum::<f32>();
    let scales = SHARES.map(|share| largest * share / LARGEST);
    let scale = scales.into_iter().min_by(|a, b| error(*a).total_cmp(&error(*b))).unwrap_or(scales[0]);
    (row.iter().map(|&value| (round(value, scale) as i8).cast_unsigned()).collect(), scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_rounded_to_7_bits_and_clipped_where_that_errs_less() {
        let even: Vec<f32> = (-63..=63).map(|value| value as f32 * 0.5).collect();
        let (bytes, scale) = quantised(&even);
        assert_eq!(scale, 0.5);
        let values: Vec<f32> = bytes.iter().map(|byte| f32::from(byte.cast_signed()) * scale).collect();
        assert_eq!(values, even);

        let uneven: Vec<f32> =
            (0..10_000).map(|i| ((i * 37) % 101) as f32 / 101.0 - 0.5).chain([0.7]).collect();
        let (bytes, scale) = quantised(&uneven);
        assert!(scale < 0.7 / 63.0);
        assert_eq!(bytes.iter().map(|byte| byte.cast_signed()).max(), Some(63));
        assert_eq!(quantised(&[0.0; 4]).0, [0; 4]);
    }
}
