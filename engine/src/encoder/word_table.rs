//! A table of word embeddings in a file. Rows are read when they are looked up, so the table takes no memory but the
//! page cache of the words that occur.

use std::{fs::File, io, os::unix::fs::FileExt as _, path::Path};

use half::f16;

/// The weights of a block.
const BLOCK: usize = 32;
/// The bytes of a block.
const BLOCK_BYTES: usize = 18;
/// Subtracted from each half of a byte.
const ZERO: i16 = 8;

/// The open file.
pub(super) struct WordTable {
    file: File,
    /// The position of the first row.
    start: u64,
    rows: u64,
    width: usize,
    format: RowFormat,
}

/// How a row is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RowFormat {
    /// Numbers at half precision, little-endian.
    Halves,
    /// Blocks of 32 weights of 4 bits (Q4_0 of ggml: a scale at half precision, then 16 bytes; byte `j` holds weight
    /// `j` in its low half and weight `j + 16` in its high one, each plus 8). The width is a multiple of 32.
    Blocks,
}

impl WordTable {
    /// Opens a table whose rows have `width` weights each and fill the file from `start` on.
    ///
    /// # Errors
    /// A file that cannot be opened.
    pub(super) fn open(path: &Path, start: u64, width: usize, format: RowFormat) -> io::Result<Self> {
        let file = File::open(path)?;
        let rows = file.metadata()?.len().saturating_sub(start) / format.row_bytes(width) as u64;
        Ok(Self { file, start, rows, width, format })
    }

    pub(super) fn rows(&self) -> u64 {
        self.rows
    }

    /// Writes a row's weights to `into`.
    ///
    /// # Errors
    /// A row that cannot be read.
    pub(super) fn look_up(&self, row: u64, into: &mut [f32]) -> io::Result<()> {
        let size = self.format.row_bytes(self.width);
        let mut bytes = vec![0; size];
        self.file.read_exact_at(&mut bytes, self.start + row * size as u64)?;
        match self.format {
            RowFormat::Halves => bytes.chunks_exact(2).zip(into).for_each(|(half, into)| {
                *into = f16::from_le_bytes([half[0], half[1]]).to_f32();
            }),
            RowFormat::Blocks => {
                let blocks = bytes.chunks_exact(BLOCK_BYTES).zip(into.chunks_exact_mut(BLOCK));
                blocks.for_each(|(block, into)| unpack(block, into));
            }
        }
        Ok(())
    }
}

impl RowFormat {
    fn row_bytes(self, width: usize) -> usize {
        match self {
            Self::Halves => width * 2,
            Self::Blocks => width / BLOCK * BLOCK_BYTES,
        }
    }
}

fn unpack(block: &[u8], into: &mut [f32]) {
    let scale = f16::from_le_bytes([block[0], block[1]]).to_f32();
    for (j, byte) in block[2..].iter().enumerate() {
        into[j] = f32::from(i16::from(byte & 15) - ZERO) * scale;
        into[j + BLOCK / 2] = f32::from(i16::from(byte >> 4) - ZERO) * scale;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_unpacked() {
        let mut bytes = vec![0; BLOCK_BYTES];
        bytes.extend(f16::from_f32(0.5).to_le_bytes());
        bytes.extend((0..16).map(|j| j | (15 - j) << 4));
        let expected: Vec<f32> = (0..16).chain((0..16).rev()).map(|q| (q as f32 - 8.0) / 2.0).collect();
        assert_second_row(&bytes, 0, BLOCK, RowFormat::Blocks, &expected);
    }

    #[test]
    fn halves_are_read_behind_a_header() {
        let halves = [9.0, 9.0, 0.25, -3.0].map(|value| f16::from_f32(value).to_le_bytes());
        let bytes = [b"header".as_slice(), halves.as_flattened()].concat();
        assert_second_row(&bytes, 6, 2, RowFormat::Halves, &[0.25, -3.0]);
    }

    /// Asserts that a file of two rows has this second one.
    fn assert_second_row(bytes: &[u8], start: u64, width: usize, format: RowFormat, expected: &[f32]) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("words");
        std::fs::write(&path, bytes).unwrap();
        let table = WordTable::open(&path, start, width, format).unwrap();
        let mut row = vec![0.0; width];
        table.look_up(1, &mut row).unwrap();
        assert_eq!((table.rows(), row.as_slice()), (2, expected));
        assert!(table.look_up(2, &mut row).is_err());
    }
}
