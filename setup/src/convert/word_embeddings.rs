//! Extracts the word embeddings of a BERT model at half precision, the only part that our encoders use unchanged.

use engine::encoder::WORD_EMBEDDINGS;
use half::f16;
use safetensors::{Dtype, SafeTensorError, SafeTensors, tensor::TensorView};

use super::error::ConvertError;

/// Extracts the table `[tokens, width]` from a safetensors file of F32 and writes it as a safetensors file of F16.
/// Rounds to the nearest, ties to even.
///
/// # Errors
/// If this is not a safetensors file with such a table.
pub fn word_embeddings(model: &[u8]) -> Result<Vec<u8>, ConvertError> {
    let tensors = SafeTensors::deserialize(model).map_err(invalid)?;
    let table = tensors.tensor(WORD_EMBEDDINGS).map_err(invalid)?;
    if table.dtype() != Dtype::F32 || table.shape().len() != 2 {
        return Err(format!(
            "`{WORD_EMBEDDINGS}` is {:?} {:?}, not a table of F32",
            table.dtype(),
            table.shape()
        )
        .into());
    }
    let numbers = table.data().chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]));
    let halves: Vec<u8> = numbers.flat_map(|number| f16::from_f32(number).to_le_bytes()).collect();
    let view = TensorView::new(Dtype::F16, table.shape().to_vec(), &halves).map_err(invalid)?;
    safetensors::serialize([(WORD_EMBEDDINGS, view)], None).map_err(invalid)
}

fn invalid(error: SafeTensorError) -> ConvertError {
    error.to_string().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str, dtype: Dtype, bytes: &[u8]) -> Vec<u8> {
        let view = TensorView::new(dtype, vec![2, bytes.len() / 2 / (dtype.bitsize() / 8)], bytes).unwrap();
        safetensors::serialize([(name, view)], None).unwrap()
    }

    #[test]
    fn numbers_are_rounded_to_the_nearest_half() {
        let numbers = [1.0_f32, -0.25, 1.0 + 1.0 / 2048.0, 1.0 + 3.0 / 2048.0];
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        let made = word_embeddings(&file(WORD_EMBEDDINGS, Dtype::F32, &bytes)).unwrap();
        let tensors = SafeTensors::deserialize(&made).unwrap();
        let table = tensors.tensor(WORD_EMBEDDINGS).unwrap();
        assert_eq!((table.dtype(), table.shape()), (Dtype::F16, &[2, 2][..]));
        let halves: Vec<f32> =
            table.data().chunks_exact(2).map(|b| f16::from_le_bytes([b[0], b[1]]).to_f32()).collect();
        assert_eq!(halves, [1.0, -0.25, 1.0, 1.0 + 2.0 / 1024.0]);
    }

    #[test]
    fn another_file_is_refused() {
        assert!(word_embeddings(b"no safetensors").is_err());
        let complaint = word_embeddings(&file("other", Dtype::F32, &[0; 16])).unwrap_err().to_string();
        assert!(complaint.contains(WORD_EMBEDDINGS), "{complaint}");
        let complaint = word_embeddings(&file(WORD_EMBEDDINGS, Dtype::F16, &[0; 8])).unwrap_err().to_string();
        assert!(complaint.contains("F16"), "{complaint}");
    }
}
