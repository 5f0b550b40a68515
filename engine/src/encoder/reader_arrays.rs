//! The inputs of a [`StateReader`](super::StateReader)'s questions as arrays.

use super::sequence::MASKED_SCORE;

/// The shape of a batch of questions. Only questions of one shape share a batch, so that none depends on another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct JoinShape {
    pub(super) tokens: usize,
    pub(super) state: usize,
    pub(super) options: usize,
}

/// The inputs of a batch of questions.
pub(super) struct JoinArrays {
    pub(super) joint: Vec<f32>,
    pub(super) mask: Vec<f32>,
    pub(super) options: Vec<f32>,
    pub(super) asked: Vec<f32>,
    pub(super) state: Vec<f32>,
    pub(super) question: Vec<f32>,
    pub(super) option: Vec<f32>,
}

impl JoinArrays {
    pub(super) fn new(shape: JoinShape, width: usize, count: usize) -> Self {
        let JoinShape { tokens, state, options } = shape;
        Self {
            joint: vec![0.0; count * tokens * width],
            mask: vec![MASKED_SCORE; count * tokens * (tokens + state)],
            options: vec![0.0; count * options * tokens],
            asked: vec![0.0; count * options * tokens],
            state: vec![0.0; count * width],
            question: vec![0.0; count * width],
            option: vec![0.0; count * options * width],
        }
    }

    /// Writes the mask and the shares of question `n`. `owners`: 0 for a token of the question, `k` for one of the
    /// `k`-th option.
    pub(super) fn mark(&mut self, n: usize, shape: JoinShape, owners: &[usize], state: usize) {
        let all = shape.tokens + shape.state;
        let mask = &mut self.mask[n * shape.tokens * all..][..shape.tokens * all];
        for (row, own) in mask.chunks_exact_mut(all).zip(owners) {
            for (value, owner) in row.iter_mut().zip(owners) {
                if own == owner || *own == 0 || *owner == 0 {
                    *value = 0.0;
                }
            }
            row[shape.tokens..][..state].fill(0.0);
        }
        let size = shape.options * shape.tokens;
        let asked = owners.iter().filter(|owner| **owner == 0).count().max(1);
        for (k, row) in self.asked[n * size..][..size].chunks_exact_mut(shape.tokens).enumerate() {
            let of_option = owners.iter().filter(|owner| **owner == k + 1).count();
            if of_option > 0 {
                share(row, owners, 0, asked);
            }
            let row = &mut self.options[n * size + k * shape.tokens..][..shape.tokens];
            share(row, owners, k + 1, of_option.max(1));
        }
    }
}

fn share(row: &mut [f32], owners: &[usize], owner: usize, count: usize) {
    for (value, other) in row.iter_mut().zip(owners) {
        *value = if *other == owner { 1.0 / count as f32 } else { 0.0 };
    }
}
