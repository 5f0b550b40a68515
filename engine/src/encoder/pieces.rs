//! The pieces of a Unigram tokenizer, sorted by their bytes: all pieces at a position are found in ranges that narrow
//! byte by byte. A quarter of a million pieces take 6 MB and are sorted in a tenth of a second; a tree of them takes
//! several times as much of both.

use std::ops::Range;

/// The pieces.
pub(super) struct Pieces {
    /// All pieces, one after the other.
    text: Vec<u8>,
    /// Where each piece starts, in the order of their bytes, and where the last one ends.
    starts: Vec<u32>,
    /// The ids in that order.
    ids: Vec<u32>,
    /// The range of the pieces that begin with each byte.
    by_first: Vec<Range<usize>>,
}

impl Pieces {
    /// Sorts pieces. `None` if there are more than 4 GiB of them.
    pub(super) fn new(mut pieces: Vec<(&str, u32)>) -> Option<Self> {
        pieces.sort_unstable();
        let mut text = Vec::with_capacity(pieces.iter().map(|(piece, _)| piece.len()).sum());
        let mut starts = Vec::with_capacity(pieces.len() + 1);
        for (piece, _) in &pieces {
            starts.push(u32::try_from(text.len()).ok()?);
            text.extend_from_slice(piece.as_bytes());
        }
        starts.push(u32::try_from(text.len()).ok()?);
        let ids = pieces.iter().map(|(_, id)| *id).collect();
        let mut sorted = Self { text, starts, ids, by_first: Vec::new() };
        let all = 0..pieces.len();
        sorted.by_first = (0..=u8::MAX).map(|byte| sorted.narrow(all.clone(), 0, byte)).collect();
        Some(sorted)
    }

    /// Calls `found` with the length and the id of each piece that `text` begins with, the shortest first.
    pub(super) fn for_each_prefix(&self, text: &[u8], mut found: impl FnMut(usize, u32)) {
        let Some(first) = text.first() else { return };
        let mut range = self.by_first[usize::from(*first)].clone();
        let mut length = 1;
        while !range.is_empty() {
            // A piece sorts before those that it begins.
            if self.piece(range.start).len() == length {
                found(length, self.ids[range.start]);
            }
            let Some(next) = text.get(length) else { return };
            range = self.narrow(range, length, *next);
            length += 1;
        }
    }

    /// The pieces of a range, all of which have the same first `at` bytes, whose next byte is `byte`.
    fn narrow(&self, range: Range<usize>, at: usize, byte: u8) -> Range<usize> {
        let start = self.first_with(range.clone(), |piece| piece.get(at).is_some_and(|own| *own >= byte));
        let end = self.first_with(start..range.end, |piece| piece.get(at).is_some_and(|own| *own > byte));
        start..end
    }

    /// The first piece of a sorted range that `is_late`, as all after it are.
    fn first_with(&self, range: Range<usize>, is_late: impl Fn(&[u8]) -> bool) -> usize {
        let mut low = range.start;
        let mut high = range.end;
        while low < high {
            let middle = low.midpoint(high);
            if is_late(self.piece(middle)) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        low
    }

    fn piece(&self, n: usize) -> &[u8] {
        &self.text[self.starts[n] as usize..self.starts[n + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn all_pieces_at_a_position_are_found(
            pieces in prop::collection::btree_set("[a-cäß]{1,4}", 1..40), text in "[a-däß]{0,8}"
        ) {
            let numbered: Vec<(&str, u32)> = pieces.iter().map(String::as_str).zip(7..).collect();
            let mut expected: Vec<(usize, u32)> =
                numbered.iter().filter(|(piece, _)| text.starts_with(piece)).map(|(p, id)| (p.len(), *id)).collect();
            expected.sort_unstable();
            let mut found = Vec::new();
            Pieces::new(numbered).expect("few").for_each_prefix(text.as_bytes(), |length, id| {
                found.push((length, id));
            });
            prop_assert_eq!(found, expected);
        }
    }
}
