//! Sequences of tokens, and the batches they may share. Two sequences share a batch only when they have the same padded
//! length, so that what a sequence becomes never depends on its company.

/// Lengths are padded to a multiple of this.
const STEP: usize = 16;

/// What is added to the score of a token that another does not see: no share of attention is left for it.
pub(super) const MASKED_SCORE: f32 = -30_000.0;

/// One sequence, ready for a backbone. The first three are equally long and not empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sequence {
    /// Token ids.
    pub ids: Vec<u32>,
    /// Row of the position table for each token.
    pub positions: Vec<u16>,
    /// Row of the segment table for each token.
    pub segments: Vec<u8>,
    /// Whose each token is; as many, or none for nobody's. Tokens of different owners do not see each other; nobody's, 0,
    /// see all and are seen by all.
    pub owners: Vec<u16>,
    /// The tokens that a head reads, by index; empty when there is none.
    pub markers: Vec<u32>,
}

impl Sequence {
    /// The padded length.
    #[must_use]
    pub fn padded_len(&self) -> usize {
        self.ids.len().next_multiple_of(STEP)
    }

    /// Writes to `into`, for each token that `token` may look at, 0, and [`MASKED_SCORE`] for the others and for padding.
    pub(super) fn mask(&self, token: usize, into: &mut [f32]) {
        let owner = |token: usize| self.owners.get(token).copied().unwrap_or(0);
        let own = owner(token);
        for (other, value) in into.iter_mut().enumerate() {
            let seen = other < self.ids.len() && (own == 0 || owner(other) == 0 || owner(other) == own);
            *value = if seen { 0.0 } else { MASKED_SCORE };
        }
    }
}
