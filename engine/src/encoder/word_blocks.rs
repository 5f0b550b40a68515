//! A table of word embeddings in a file, in blocks of 32 weights of 4 bits (Q4_0 of ggml: a scale at half precision,
//! then 16 bytes; byte `j` holds weight `j` in its low half and weight `j + 16` in its high one, each plus 8).

use std::{fs::File, io, os::unix::fs::FileExt as _, path::Path};

use half::f16;

const WEIGHTS: usize = 32;
const BYTES: usize = 18;
/// Subtracted from each half of a byte.
const ZERO: i16 = 8;

/// The open file. Rows are read when they are looked up, so only those of words that occur are in the page cache.
pub(super) struct WordBlocks {
    file: File,
    rows: u64,
    width: usize,
}

impl WordBlocks {
    /// Opens a table with rows of `width` weights, a multiple of 32.
    ///
    /// # Errors
    /// A file that cannot be opened.
    pub(super) fn open(path: &Path, width: usize) -> io::Result<Self> {
        let file = File::open(path)?;
        let rows = file.metadata()?.len() / row_bytes(width) as u64;
        Ok(Self { file, rows, width })
    }

    pub(super) fn rows(&self) -> u64 {
        self.rows
    }

    /// Writes a row's weights to `into`.
    ///
    /// # Errors
    /// A row that cannot be read.
    pub(super) fn look_up(&self, row: u64, into: &mut [f32]) -> io::Result<()> {
        let size = row_bytes(self.width);
        let mut bytes = vec![0; size];
        self.file.read_exact_at(&mut bytes, row * size as u64)?;
        bytes.chunks_exact(BYTES).zip(into.chunks_exact_mut(WEIGHTS)).for_each(|(block, into)| {
            unpack(block, into);
        });
        Ok(())
    }
}

fn row_bytes(width: usize) -> usize {
    width / WEIGHTS * BYTES
}

fn unpack(block: &[u8], into: &mut [f32]) {
    let scale = f16::from_le_bytes([block[0], block[1]]).to_f32();
    for (j, byte) in block[2..].iter().enumerate() {
        into[j] = f32::from(i16::from(byte & 15) - ZERO) * scale;
        into[j + WEIGHTS / 2] = f32::from(i16::from(byte >> 4) - ZERO) * scale;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_unpacked() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("words");
        let mut bytes = vec![0; BYTES];
        bytes.extend(f16::from_f32(0.5).to_le_bytes());
        bytes.extend((0..16).map(|j| j | (15 - j) << 4));
        std::fs::write(&path, bytes).unwrap();
        let table = WordBlocks::open(&path, WEIGHTS).unwrap();
        let mut row = [0.0; WEIGHTS];
        table.look_up(1, &mut row).unwrap();
        let expected: Vec<f32> = (0..16).chain((0..16).rev()).map(|q| (q as f32 - 8.0) / 2.0).collect();
        assert_eq!((table.rows(), row.to_vec()), (2, expected));
        assert!(table.look_up(2, &mut row).is_err());
    }
}
