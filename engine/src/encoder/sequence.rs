//! Sequences of tokens, and the batches they may share. Two sequences share a batch only when they fill up to the same
//! length, so that what a sequence becomes never depends on its company.

/// Lengths are filled up to a multiple of this.
const STEP: usize = 16;

/// One sequence, ready for a trunk. The first three are equally long and not empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sequence {
    /// Token ids.
    pub ids: Vec<u32>,
    /// Row of the position table for each token.
    pub positions: Vec<u16>,
    /// Row of the segment table for each token.
    pub segments: Vec<u8>,
    /// The tokens that a crown reads, by index; empty when there is none.
    pub marks: Vec<u32>,
}

impl Sequence {
    /// The length it is filled up to.
    #[must_use]
    pub fn filled(&self) -> usize {
        self.ids.len().next_multiple_of(STEP)
    }
}
