//! Builds a question's sequences: `[CLS] question [SEP] [MASK] option [MASK] option .. [SEP] state [SEP]`.
//!
//! Every option has the same positions and attends to the question, the state and itself, not to other options.
//! Options are sorted by text. So no answer depends on the order of the options. A question that does not fit one
//! sequence takes several: options are split into groups, the state into overlapping windows. Nothing is truncated.
//! The same as `training/decision/data.py`.

use std::ops::Range;

use super::render::Outcome;
use crate::encoder::{CLS, MASK, SEP, Sequence};

/// The most tokens of a sequence.
const SEQUENCE_LIMIT: usize = 512;
/// The most tokens of a question and a group of two or more of its options.
const QUESTION_LIMIT: usize = 384;
/// The most tokens of a question and its longest option. Longer ones would leave no room for the state.
pub(super) const LONGEST_QUESTION: usize = 768;
/// The fewest tokens of a window of the state.
const MIN_WINDOW: usize = 32;

/// The positions of the question, the options and the state. Tokens beyond the end of a zone share its last position.
const ZONES: [Range<usize>; 3] = [0..96, 96..192, 192..512];

/// A question's sequences.
#[derive(Clone, Debug, Default)]
pub(crate) struct QuestionLayout {
    /// For each option in the order of the sequences, its index in the question.
    pub(crate) order: Vec<usize>,
    /// Groups of options, in the order of the sequences.
    pub(super) groups: Vec<Range<usize>>,
    /// The number of windows of the state.
    pub(super) windows: usize,
    /// Sorted by window, then by group.
    pub(crate) sequences: Vec<Sequence>,
}

/// How a question is split into sequences.
struct Split {
    order: Vec<usize>,
    /// The length of each option in that order, its marker included.
    lengths: Vec<usize>,
    groups: Vec<Range<usize>>,
    windows: Vec<Range<usize>>,
}

/// A question in tokens.
pub(super) struct QuestionTokens<'a> {
    pub(super) question: &'a [u32],
    pub(super) outcomes: &'a [Outcome],
    /// The tokens of each outcome.
    pub(super) options: &'a [Vec<u32>],
    pub(super) state: &'a [u32],
}

impl QuestionTokens<'_> {
    /// The tokens of the question with its longest option.
    pub(super) fn longest_question(&self) -> usize {
        fixed(self.question) + self.options.iter().map(|option| option.len() + 1).max().unwrap_or(0)
    }

    /// Counts the tokens of the sequences without building them. A long question leaves little room, so that the state
    /// takes many windows, each once for every group: the result can be thousands of times the input.
    pub(super) fn tokens(&self) -> usize {
        let Split { lengths, groups, windows, .. } = self.split();
        let heads = groups.len() * fixed(self.question) + lengths.iter().sum::<usize>();
        let states = windows.iter().map(|window| window.len() + 1).sum::<usize>();
        heads * windows.len() + states * groups.len()
    }

    /// Builds the sequences.
    pub(super) fn layout(&self) -> QuestionLayout {
        let Split { order, groups, windows, .. } = self.split();
        let sequence = |window: &Range<usize>, group: &Range<usize>| {
            let options: Vec<&[u32]> =
                order[group.clone()].iter().map(|i| self.options[*i].as_slice()).collect();
            sequence(self.question, &options, &self.state[window.clone()])
        };
        let sequences = windows
            .iter()
            .flat_map(|window| groups.iter().map(move |group| sequence(window, group)))
            .collect();
        QuestionLayout { order, windows: windows.len(), groups, sequences }
    }

    fn split(&self) -> Split {
        let mut order: Vec<usize> = (0..self.options.len()).collect();
        order.sort_by_key(|i| (&self.outcomes[*i].text, &self.outcomes[*i].key));
        let lengths: Vec<usize> = order.iter().map(|i| self.options[*i].len() + 1).collect();
        let fixed = fixed(self.question);
        let groups = groups(fixed, &lengths);
        let head = groups.iter().map(|group| fixed + lengths[group.clone()].iter().sum::<usize>()).max();
        let windows = windows(self.state.len(), head.unwrap_or(fixed));
        Split { order, lengths, groups, windows }
    }
}

impl QuestionLayout {
    /// Tokens in all sequences.
    pub(super) fn tokens(&self) -> usize {
        self.sequences.iter().map(|sequence| sequence.ids.len()).sum()
    }

    /// Groups the logits of each sequence's markers by window. Options stay in the order of the sequences, so that not
    /// even the rounding of a sum depends on the question's order.
    pub(super) fn by_window(&self, logits: &[&[f32]]) -> Vec<Vec<f64>> {
        let window =
            |logits: &[&[f32]]| logits.iter().copied().flatten().map(|logit| f64::from(*logit)).collect();
        logits.chunks(self.groups.len().max(1)).map(window).collect()
    }

    /// Reorders a value for each option from the order of the sequences to the question's.
    pub(super) fn in_question_order(&self, values: &[f64]) -> Vec<f64> {
        let mut own = vec![0.0; values.len()];
        self.order.iter().zip(values).for_each(|(i, value)| own[*i] = *value);
        own
    }
}

/// Tokens of the question and of the special tokens around it and the options.
fn fixed(question: &[u32]) -> usize {
    question.len() + 3
}

/// Groups options greedily so that each group fits [`QUESTION_LIMIT`] with the question. An option that does not fit
/// is a group of its own.
fn groups(fixed: usize, lengths: &[usize]) -> Vec<Range<usize>> {
    let mut groups = Vec::new();
    let (mut start, mut used) = (0, fixed);
    for (i, length) in lengths.iter().enumerate() {
        if i > start && used + length > QUESTION_LIMIT {
            groups.push(start..i);
            (start, used) = (i, fixed);
        }
        used += length;
    }
    groups.push(start..lengths.len());
    groups
}

/// Windows of the state that fit beside `head` tokens. Each starts three quarters of a window after the one before;
/// the last one ends with the state.
fn windows(state: usize, head: usize) -> Vec<Range<usize>> {
    let room = SEQUENCE_LIMIT.saturating_sub(head + 1).max(MIN_WINDOW);
    let mut windows = Vec::new();
    let mut at = 0;
    while at + room < state {
        windows.push(at..at + room);
        at += room * 3 / 4;
    }
    windows.push(state.saturating_sub(room)..state);
    windows
}

fn sequence(question: &[u32], options: &[&[u32]], state: &[u32]) -> Sequence {
    let size =
        fixed(question) + options.iter().map(|option| option.len() + 1).sum::<usize>() + state.len() + 1;
    let mut sequence = Sequence {
        ids: Vec::with_capacity(size),
        positions: Vec::with_capacity(size),
        segments: Vec::with_capacity(size),
        owners: Vec::with_capacity(size),
        markers: Vec::with_capacity(options.len()),
    };
    let mut put = |zone: usize, owner: usize, place: usize, id: u32| {
        let Range { start, end } = ZONES[zone];
        sequence.ids.push(id);
        sequence.positions.push((start + place).min(end - 1) as u16);
        sequence.segments.push(zone as u8);
        sequence.owners.push(owner as u16);
        sequence.ids.len() - 1
    };
    let whole = std::iter::once(CLS).chain(question.iter().copied()).chain([SEP]);
    whole.enumerate().for_each(|(place, id)| {
        put(0, 0, place, id);
    });
    let mut markers = Vec::with_capacity(options.len());
    for (option, owner) in options.iter().zip(1..) {
        markers.push(put(1, owner, 0, MASK) as u32);
        option.iter().enumerate().for_each(|(place, id)| {
            put(1, owner, place + 1, *id);
        });
    }
    put(1, 0, usize::from(u8::MAX), SEP);
    state.iter().copied().chain([SEP]).enumerate().for_each(|(place, id)| {
        put(2, 0, place, id);
    });
    sequence.markers = markers;
    sequence
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_packed_in_order_and_none_is_left_out() {
        assert_eq!(groups(10, &[5, 5]), vec![Range { start: 0, end: 2 }]);
        assert_eq!(groups(10, &[200, 174, 1, 380, 5]), [0..2, 2..3, 3..4, 4..5]);
        assert_eq!(groups(500, &[5, 5]), [0..1, 1..2], "a long question has every option alone");
    }

    #[test]
    fn windows_overlap_and_reach_the_end() {
        assert_eq!(windows(0, 100), vec![Range { start: 0, end: 0 }]);
        assert_eq!(windows(411, 100), vec![Range { start: 0, end: 411 }]);
        assert_eq!(windows(412, 100), [0..411, 1..412]);
        assert_eq!(windows(1000, 100), [0..411, 308..719, 589..1000]);
        assert_eq!(windows(40, 700), [0..32, 8..40]);
    }

    #[test]
    fn tokens_are_counted_before_they_are_laid_out() {
        let state = vec![9; 2_000];
        for (question, option, options) in [(3, 2, 2), (3, 40, 30), (300, 60, 5), (700, 1, 3), (0, 1, 255)] {
            let outcome = |n: usize| Outcome { key: n.to_string(), text: n.to_string() };
            let outcomes: Vec<Outcome> = (0..options).map(outcome).collect();
            let parts = QuestionTokens {
                question: &vec![7; question],
                outcomes: &outcomes,
                options: &vec![vec![8; option]; options],
                state: &state,
            };
            assert_eq!(parts.tokens(), parts.layout().tokens(), "{question} {option} {options}");
        }
    }

    #[test]
    fn options_share_their_positions() {
        let sequence = sequence(&[7, 8], &[&[20, 21], &[30]], &[40]);
        assert_eq!(sequence.ids, [CLS, 7, 8, SEP, MASK, 20, 21, MASK, 30, SEP, 40, SEP]);
        assert_eq!(sequence.positions, [0, 1, 2, 3, 96, 97, 98, 96, 97, 191, 192, 193]);
        assert_eq!(sequence.segments, [0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 2, 2]);
        assert_eq!(sequence.owners, [0, 0, 0, 0, 1, 1, 1, 2, 2, 0, 0, 0]);
        assert_eq!(sequence.markers, [4, 7]);
    }
}
