//! Splits many samples into chunks, limited in number and bytes: a change into short transactions, since on SQLite
//! charges need the same writer, and a read into as much as may be in memory at once.

use sea_orm::FromQueryResult;

/// The limits of a chunk.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChunkLimit {
    pub(super) samples: usize,
    /// One larger sample may exceed it.
    pub(super) bytes: i64,
}

/// Samples changed in one transaction. Databases limit the bound parameters; SQLite reads and writes whole rows, some
/// 50 MB a second.
pub(super) const WRITE: ChunkLimit = ChunkLimit { samples: 500, bytes: 512 * 1024 };
/// Samples read into memory at once.
pub(crate) const READ: ChunkLimit = ChunkLimit { samples: 1_000, bytes: 4 * 1024 * 1024 };

/// A sample and the bytes of it that are read or written.
#[derive(Clone, Copy, Debug, FromQueryResult)]
pub(crate) struct SampleSize {
    pub(crate) seq: i64,
    pub(crate) bytes: i64,
}

/// Splits samples, in their order, into chunks.
pub(crate) fn chunks<T>(samples: &[T], limit: ChunkLimit, size: impl Fn(&T) -> SampleSize) -> Vec<&[T]> {
    let mut chunks = Vec::new();
    let mut start = 0;
    let mut bytes = 0;
    for (at, sample) in samples.iter().enumerate() {
        let more = size(sample).bytes;
        if at > start && (bytes + more > limit.bytes || at - start == limit.samples) {
            chunks.push(&samples[start..at]);
            start = at;
            bytes = 0;
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

    /// The numbers of samples in the chunks of samples with these sizes.
    fn lengths(bytes: &[i64]) -> Vec<usize> {
        let sizes: Vec<SampleSize> =
            (0..).zip(bytes).map(|(seq, bytes)| SampleSize { seq, bytes: *bytes }).collect();
        chunks(&sizes, WRITE, |size| *size).iter().map(|chunk| chunk.len()).collect()
    }

    #[test]
    fn chunks_are_bounded_by_bytes_and_by_samples_and_leave_nothing_out() {
        assert_eq!(lengths(&[]), [0; 0]);
        assert_eq!(lengths(&[WRITE.bytes * 9, 1, 1]), [1, 2]);
        assert_eq!(lengths(&[WRITE.bytes / 2; 5]), [2, 2, 1]);
        assert_eq!(lengths(&vec![1; WRITE.samples * 2 + 1]), [WRITE.samples, WRITE.samples, 1]);
    }
}
