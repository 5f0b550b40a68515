//! Writes a head as a weight file in the format that `encoder` reads. The same head results in the same bytes.

use std::collections::BTreeMap;

use ndarray::ArrayView;
use serde_json::json;

use super::{
    error::TrainError,
    head::{Linear, Norm, TrainableHead},
};
use crate::encoder::WeightFile;

/// The largest quantised weight. With 7 bits, sums of products with bytes never overflow 16 bits on processors without
/// VNNI.
const LARGEST: f32 = 63.0;
/// Candidate scales, as shares of a row's largest magnitude; weights beyond are clipped.
const SHARES: [f32; 7] = [1.0, 0.95, 0.9, 0.85, 0.8, 0.75, 0.7];

/// The metadata of a head's weight file.
#[derive(Clone, Debug, PartialEq)]
pub struct HeadMetadata {
    /// The head's name, such as `gavel-decision`.
    pub name: String,
    pub version: String,
    /// The SHA-256 of the weight file of the backbone that the head was trained on, in hexadecimal.
    pub backbone: String,
    /// Temperatures by question type, one for every range of option counts.
    pub temperatures: BTreeMap<String, Vec<f32>>,
}

/// The precision of a head's matrices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// All in f32: 7.7 MB at a width of 384.
    F32,
    /// The layer in 7 bits with a scale for each row, the scoring layers in f32: 2.4 MB.
    Quantised,
}

impl TrainableHead {
    /// Serializes the head as a weight file, whose format `encoder::weights` describes. `config` has `backbone` and
    /// `temperatures`.
    ///
    /// # Errors
    /// A weight that is not finite.
    pub fn to_bytes(&self, metadata: &HeadMetadata, precision: Precision) -> Result<Vec<u8>, TrainError> {
        let config = json!({ "backbone": metadata.backbone, "temperatures": metadata.temperatures });
        let mut file = WeightFile::new(&metadata.name, &metadata.version, &config);
        self.write(&mut file, precision)?;
        Ok(file.into_bytes())
    }

    /// Adds the head's tensors to a file. Those in F32 come first, since they must precede all others.
    pub(crate) fn write(&self, file: &mut WeightFile, precision: Precision) -> Result<(), TrainError> {
        for Norm { name, weight, bias } in self.norms() {
            file.floats(format!("{name}.weight"), weight.shape(), &finite(name, weight.view())?);
            file.floats(format!("{name}.bias"), bias.shape(), &finite(name, bias.view())?);
        }
        let mut rounded = Vec::new();
        for part in self.linears() {
            let Linear { name, weight, bias } = part;
            let dims = weight.shape();
            let values = finite(name, weight.view())?;
            if precision == Precision::Quantised && name.starts_with("encoder.") {
                let rows = values.chunks_exact(weight.ncols()).map(quantised);
                let (rows, scales): (Vec<Vec<u8>>, Vec<f32>) = rows.unzip();
                file.floats(format!("{name}.scale"), &dims[..1], &scales);
                rounded.push((format!("{name}.weight"), dims, rows.concat()));
            } else {
                file.floats(format!("{name}.weight"), dims, &values);
            }
            file.floats(format!("{name}.bias"), bias.shape(), &finite(name, bias.view())?);
        }
        for (name, dims, bytes) in rounded {
            file.bytes(name, dims, &bytes);
        }
        Ok(())
    }
}

/// The values of a tensor, row by row.
fn finite<D: ndarray::Dimension>(name: &str, tensor: ArrayView<'_, f32, D>) -> Result<Vec<f32>, TrainError> {
    let values: Vec<f32> = tensor.iter().copied().collect();
    if !values.iter().all(|value| value.is_finite()) {
        return Err(TrainError::Unfit(format!("`{name}` has a weight that is not finite")));
    }
    Ok(values)
}

/// Quantises a row to bytes and a scale; of the candidate scales, the one with the least squared error.
fn quantised(row: &[f32]) -> (Vec<u8>, f32) {
    let largest = row.iter().fold(1e-12f32, |largest, value| largest.max(value.abs()));
    let scales = SHARES.map(|share| largest * share / LARGEST);
    let best = scales.into_iter().min_by(|a, b| rounding_error(row, *a).total_cmp(&rounding_error(row, *b)));
    let scale = best.unwrap_or(scales[0]);
    (row.iter().map(|&value| (rounded(value, scale) as i8).cast_unsigned()).collect(), scale)
}

/// The quotient of a value and a scale, rounded and clipped.
fn rounded(value: f32, scale: f32) -> f32 {
    (value / scale).round_ties_even().clamp(-LARGEST, LARGEST)
}

/// The squared error of a row that is rounded to multiples of a scale.
fn rounding_error(row: &[f32], scale: f32) -> f32 {
    row.iter().map(|&value| (rounded(value, scale) * scale - value).powi(2)).sum::<f32>()
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
