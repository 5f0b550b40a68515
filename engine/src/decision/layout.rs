//! A question as sequences of tokens: `[CLS] question [SEP] [MASK] option [MASK] option .. [SEP] state [SEP]`.
//!
//! Every option has the same positions and sees the question, the state and itself, not the other options; and options
//! stand in the order of their texts. So no answer depends on the order in which they came. What does not fit one sequence is read in several: options in groups, a state in overlapping
//! windows. Nothing is cut. The same as `training/decision/data.py`.

use std::ops::Range;

use super::render::Outcome;
use crate::encoder::{CLS, MASK, SEP, Sequence};

/// Tokens of a sequence.
const SEQUENCE_LIMIT: usize = 512;
/// Tokens that a question and a group of its options may have together, of more than one option.
const QUESTION_LIMIT: usize = 384;
/// Tokens that a question and its longest option may have together. Beyond them a sequence would be all question.
pub(super) const LONGEST_QUESTION: usize = 768;
/// The least room for a window of the state.
const MIN_WINDOW: usize = 32;

/// The last position of the question's zone, the options' and the state's; what does not fit a zone shares its last.
const ZONES: [Range<usize>; 3] = [0..96, 96..192, 192..512];

/// A question, ready to be scored.
#[derive(Clone, Debug, Default)]
pub(super) struct QuestionLayout {
    /// For each option in the order of the sequences, its place in the question's own order.
    pub(super) order: Vec<usize>,
    /// Groups of options in the order of the sequences.
    pub(super) groups: Vec<Range<usize>>,
    /// Windows of the state.
    pub(super) windows: usize,
    /// Window by window, in each group by group.
    pub(super) sequences: Vec<Sequence>,
}

/// Where a question is cut into sequences.
struct Split {
    order: Vec<usize>,
    /// Of the options in that order, each with its marker.
    lengths: Vec<usize>,
    groups: Vec<Range<usize>>,
    windows: Vec<Range<usize>>,
}

/// The tokens of a question's parts.
pub(super) struct QuestionTokens<'a> {
    pub(super) question: &'a [u32],
    pub(super) outcomes: &'a [Outcome],
    /// Of each outcome.
    pub(super) options: &'a [Vec<u32>],
    pub(super) state: &'a [u32],
}

impl QuestionTokens<'_> {
    /// Tokens of the question with its longest option.
    pub(super) fn longest_question(&self) -> usize {
        fixed(self.question) + self.options.iter().map(|option| option.len() + 1).max().unwrap_or(0)
    }

    /// Tokens of the question laid out. A long question leaves little room beside it, so that the state is read in many
    /// windows, and once for each group of options: these can be thousands of times as many as came.
    pub(super) fn tokens(&self) -> usize {
        let Split { lengths, groups, windows, .. } = self.split();
        let heads = groups.len() * fixed(self.question) + lengths.iter().sum::<usize>();
        let states = windows.iter().map(|window| window.len() + 1).sum::<usize>();
        heads * windows.len() + states * groups.len()
    }

    /// Lays the question out.
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
    /// Tokens to be read.
    pub(super) fn tokens(&self) -> usize {
        self.sequences.iter().map(|sequence| sequence.ids.len()).sum()
    }

    /// From a logit for each marker of each sequence, the logits of all options, window by window. In the order of the
    /// sequences, so that not even a sum depends on the question's own.
    pub(super) fn by_window(&self, logits: &[Vec<f32>]) -> Vec<Vec<f64>> {
        let window = |logits: &[Vec<f32>]| logits.iter().flatten().map(|logit| f64::from(*logit)).collect();
        logits.chunks(self.groups.len().max(1)).map(window).collect()
    }

    /// One value an option, from the order of the sequences into the question's own.
    pub(super) fn in_question_order(&self, values: &[f64]) -> Vec<f64> {
        let mut own = vec![0.0; values.len()];
        self.order.iter().zip(values).for_each(|(i, value)| own[*i] = *value);
        own
    }
}

/// Tokens of a sequence that are neither an option's nor the state's.
fn fixed(question: &[u32]) -> usize {
    question.len() + 3
}

/// Greedy groups of options that fit [`QUESTION_LIMIT`] with the question; one that does not fit is a group of its own.
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

/// Windows that fit beside `head` tokens, each three quarters of the room after the one before, the last flush with the
/// end.
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
