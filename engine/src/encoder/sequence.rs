//! Token sequences. Two sequences share a batch only when they have the same padded length, so that a sequence's
//! result never depends on the others in its batch.

/// Lengths are padded to a multiple of this.
const STEP: usize = 16;

/// Added to the attention score of a hidden token, so that its attention weight is 0.
pub(super) const MASKED_SCORE: f32 = -30_000.0;

/// The input of a backbone. `ids`, `positions` and `segments` have the same length, at least 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sequence {
    pub ids: Vec<u32>,
    /// Each token's row of the position table.
    pub positions: Vec<u16>,
    /// Each token's row of the segment table.
    pub segments: Vec<u8>,
    /// Each token's owner, or empty when no token has one. Tokens of different owners do not attend to each other;
    /// tokens without an owner, 0, attend to all and are attended to by all.
    pub owners: Vec<u16>,
    /// Each token's row of the rank table, or empty when the model has none.
    pub ranks: Vec<u8>,
    /// The positions at which a head computes scores; empty without a head.
    pub markers: Vec<u32>,
}

impl Sequence {
    /// The length after padding.
    #[must_use]
    pub fn padded_len(&self) -> usize {
        self.ids.len().next_multiple_of(STEP)
    }

    /// Writes the attention mask of `token`: 0 for each token that it attends to, [`MASKED_SCORE`] for the others and
    /// for padding.
    pub(super) fn mask(&self, token: usize, into: &mut [f32]) {
        let own = self.owner(token);
        for (other, value) in into.iter_mut().enumerate() {
            let owner = self.owner(other);
            let seen = other < self.ids.len() && (own == 0 || owner == 0 || owner == own);
            *value = if seen { 0.0 } else { MASKED_SCORE };
        }
    }

    /// Writes each token's share of the mean over the last segment: 0 for the tokens of other segments and for padding.
    pub(super) fn shares(&self, into: &mut [f32]) {
        let last = self.segments.iter().max();
        let count = self.segments.iter().filter(|segment| Some(*segment) == last).count();
        for (into, segment) in into.iter_mut().zip(&self.segments) {
            *into = if Some(segment) == last { 1.0 / count as f32 } else { 0.0 };
        }
    }

    fn owner(&self, token: usize) -> u16 {
        self.owners.get(token).copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encoder::{CLS, SEP};

    #[test]
    fn the_tokens_of_the_last_segment_share_the_features() {
        let sequence = Sequence {
            ids: vec![CLS, 7, SEP, 8, SEP],
            positions: vec![0; 5],
            segments: vec![0, 0, 1, 2, 2],
            owners: Vec::new(),
            ranks: Vec::new(),
            markers: Vec::new(),
        };
        let mut shares = vec![0.0; sequence.padded_len()];
        sequence.shares(&mut shares);
        assert_eq!(shares[..6], [0.0, 0.0, 0.0, 0.5, 0.5, 0.0]);
    }
}
