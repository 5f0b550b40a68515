//! Splits a change of many samples into short transactions: on SQLite charges need the same writer, and wait for one
//! chunk.

use sea_orm::FromQueryResult;

/// Samples in a chunk, at most: databases limit the bound parameters.
const CHUNK_SAMPLES: usize = 500;
/// Bytes of samples in a chunk, unless one sample has more. SQLite reads and writes whole rows, some 50 MB a second.
pub(super) const CHUNK_BYTES: i64 = 2 * 1024 * 1024;

/// A sample and the bytes that a change of it reads and writes.
#[derive(Clone, Copy, Debug, FromQueryResult)]
pub(super) struct SampleSize {
    pub(super) seq: i64,
    pub(super) bytes: i64,
}

/// Splits samples, in their order, into chunks.
pub(super) fn chunks<T>(samples: &[T], size: impl Fn(&T) -> SampleSize) -> Vec<&[T]> {
    let (mut chunks, mut start, mut bytes) = (Vec::new(), 0, 0);
    for (at, sample) in samples.iter().enumerate() {
        let more = size(sample).bytes;
        if at > start && (bytes + more > CHUNK_BYTES || at - start == CHUNK_SAMPLES) {
            chunks.push(&samples[start..at]);
            (start, bytes) = (at, 0);
        }
        bytes += more;
    }
    if start < samples.len() {
        chunks.push(&samples[start..]);
    }
    chunks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_are_bounded_by_bytes_and_by_samples_and_leave_nothing_out() {
        let sizes = |bytes: &[i64]| -> Vec<SampleSize> {
            (0..).zip(bytes).map(|(seq, bytes)| SampleSize { seq, bytes: *bytes }).collect()
        };
        let lengths = |bytes: &[i64]| -> Vec<usize> {
            chunks(&sizes(bytes), |size| *size).iter().map(|chunk| chunk.len()).collect()
        };
        assert_eq!(lengths(&[]), [0; 0]);
        assert_eq!(lengths(&[CHUNK_BYTES * 9, 1, 1]), [1, 2]);
        assert_eq!(lengths(&[CHUNK_BYTES / 2; 5]), [2, 2, 1]);
        assert_eq!(lengths(&vec![1; CHUNK_SAMPLES * 2 + 1]), [CHUNK_SAMPLES, CHUNK_SAMPLES, 1]);
    }
}
