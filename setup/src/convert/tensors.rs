//! Reads the weights of a TensorFlow.js manifest. Only float32, and float32 stored as uint8, are supported.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::error::ConvertError;

/// A model's tensors, by name.
#[derive(Debug)]
pub(super) struct Tensors(BTreeMap<String, Tensor>);

/// A row-major tensor.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tensor {
    pub(super) shape: Vec<usize>,
    pub(super) values: Vec<f32>,
}

/// A group of weights in a manifest. Their bytes are consecutive across the group's files.
#[derive(Deserialize)]
struct WeightGroup {
    paths: Vec<String>,
    weights: Vec<WeightEntry>,
}

#[derive(Deserialize)]
struct WeightEntry {
    name: String,
    shape: Vec<usize>,
    dtype: String,
    quantization: Option<Quantization>,
}

#[derive(Deserialize)]
struct Quantization {
    dtype: String,
    scale: f64,
    min: f64,
}

impl Tensors {
    /// Reads the weights of `manifest`, an array of groups. `file` reads a file by path.
    ///
    /// # Errors
    /// If the manifest cannot be parsed, an element type is unsupported, or the files do not have the manifest's
    /// length.
    pub(super) fn read(
        manifest: &Value,
        file: impl Fn(&str) -> Result<Vec<u8>, ConvertError>,
    ) -> Result<Self, ConvertError> {
        let groups: Vec<WeightGroup> =
            Vec::deserialize(manifest).map_err(|error| ConvertError::from(format!("manifest: {error}")))?;
        let mut tensors = BTreeMap::new();
        for group in groups {
            let files: Result<Vec<_>, _> = group.paths.iter().map(|path| file(path)).collect();
            let bytes = files?.concat();
            let mut rest = bytes.as_slice();
            for entry in group.weights {
                let tensor =
                    entry.read(&mut rest).map_err(|error| error.within(format!("weight {}", entry.name)))?;
                tensors.insert(entry.name, tensor);
            }
            if !rest.is_empty() {
                return Err(format!("{} bytes after the last weight", rest.len()).into());
            }
        }
        Ok(Tensors(tensors))
    }

    /// The tensor `name`, which must have `rank` dimensions.
    ///
    /// # Errors
    /// If there is no such tensor, or it has another rank.
    pub(super) fn get(&self, name: &str, rank: usize) -> Result<&Tensor, ConvertError> {
        let tensor = self.0.get(name).ok_or_else(|| format!("no weight {name}"))?;
        if tensor.shape.len() != rank {
            return Err(format!("weight {name} has the shape {:?}", tensor.shape).into());
        }
        Ok(tensor)
    }
}

impl Tensor {
    /// Transposes: dimension `order[i]` becomes dimension `i`.
    pub(super) fn transposed(&self, order: [usize; 4]) -> Tensor {
        let from = &self.shape;
        let strides = [from[1] * from[2] * from[3], from[2] * from[3], from[3], 1];
        let [a, b, c, d] = order.map(|dim| (from[dim], strides[dim]));
        let mut values = Vec::with_capacity(self.values.len());
        for i in 0..a.0 {
            for j in 0..b.0 {
                for k in 0..c.0 {
                    let base = i * a.1 + j * b.1 + k * c.1;
                    values.extend((0..d.0).map(|l| self.values[base + l * d.1]));
                }
            }
        }
        Tensor { shape: vec![a.0, b.0, c.0, d.0], values }
    }
}

impl WeightEntry {
    fn read(&self, rest: &mut &[u8]) -> Result<Tensor, ConvertError> {
        let size =
            self.shape.iter().try_fold(1_usize, |size, &dim| size.checked_mul(dim)).ok_or("too large")?;
        let values = match (self.dtype.as_str(), &self.quantization) {
            ("float32", Some(stored)) if stored.dtype == "uint8" => {
                take(rest, size)?.iter().map(|&step| stored.value(step)).collect()
            }
            ("float32", None) => {
                let bytes = take(rest, size.checked_mul(4).ok_or("too large")?)?;
                bytes.as_chunks().0.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect()
            }
            _ => return Err("unsupported element type".into()),
        };
        Ok(Tensor { shape: self.shape.clone(), values })
    }
}

impl Quantization {
    /// Dequantises as TensorFlow.js does: in 64 bits, then rounded to 32.
    fn value(&self, step: u8) -> f32 {
        (f64::from(step) * self.scale + self.min) as f32
    }
}

fn take<'a>(rest: &mut &'a [u8], size: usize) -> Result<&'a [u8], ConvertError> {
    let (taken, left) = rest.split_at_checked(size).ok_or("the files are too short")?;
    *rest = left;
    Ok(taken)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn manifest() -> Value {
        json!([{
            "paths": ["one", "two"],
            "weights": [
                { "name": "a", "shape": [2, 2], "dtype": "float32",
                  "quantization": { "dtype": "uint8", "scale": 0.1, "min": -1.5 } },
                { "name": "b", "shape": [1], "dtype": "float32" },
                { "name": "c", "shape": [], "dtype": "float32",
                  "quantization": { "dtype": "uint8", "scale": 1, "min": 2 } },
            ]
        }])
    }

    #[test]
    fn weights_are_read_from_their_files_in_order_and_dequantised() {
        let tensors = Tensors::read(&manifest(), |path| {
            Ok(match path {
                "one" => vec![0, 15, 255],
                _ => [&[3][..], &2.5_f32.to_le_bytes(), &[0]].concat(),
            })
        })
        .unwrap();
        let a = tensors.get("a", 2).unwrap();
        // 15 * 0.1 - 1.5 is exactly 0 in 64 bits, and 3 * 0.1 is 0.30000000000000004 there.
        assert_eq!(a.values, [-1.5, 0.0, 24.0, (3.0 * 0.1_f64 - 1.5) as f32]);
        assert_eq!(tensors.get("b", 1).unwrap().values, [2.5]);
        assert_eq!(tensors.get("c", 0).unwrap().values, [2.0]);
        assert!(tensors.get("a", 4).is_err());
        assert!(tensors.get("d", 1).is_err());
    }

    #[test]
    fn files_of_the_wrong_length_are_refused() {
        for length in [0, 8, 10] {
            let read = Tensors::read(&manifest(), |path| Ok(vec![0; if path == "one" { length } else { 0 }]));
            assert!(read.is_err(), "{length}");
        }
    }

    #[test]
    fn kernels_are_transposed_to_the_layout_of_onnx() {
        let h = 2;
        let w = 3;
        let i = 4;
        let o = 5;
        let values: Vec<f32> = (0..h * w * i * o).map(|n| n as f32).collect();
        let kernel = Tensor { shape: vec![h, w, i, o], values };
        let transposed = kernel.transposed([3, 2, 0, 1]);
        assert_eq!(transposed.shape, [o, i, h, w]);
        let y = 1;
        let x = 2;
        let from = 3;
        let to = 4;
        let expected = kernel.values[offset(&kernel.shape, [y, x, from, to])];
        assert_eq!(transposed.values[offset(&transposed.shape, [to, from, y, x])], expected);
    }

    fn offset(shape: &[usize], index: [usize; 4]) -> usize {
        ((index[0] * shape[1] + index[1]) * shape[2] + index[2]) * shape[3] + index[3]
    }
}
