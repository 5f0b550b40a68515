//! Builds a question's sequences: `[CLS] question [SEP] [MASK] option [MASK] option .. [SEP] state [SEP]`.
//!
//! Every option has the same positions and attends to the question, the state and itself, not to other options.
//! Options are sorted by text. So no answer depends on the order of the options. A question that does not fit one
//! sequence takes several: options are split into groups, the state into overlapping windows. Nothing is truncated.
//! The same as `training/decision/data.py`.

use std::ops::Range;

use super::{
    render::AnswerOption,
    values::{Scales, TextValue, TokenizedText},
};
use crate::encoder::{CLS, MASK, SEP, Sequence};

/// The most tokens of a sequence.
const SEQUENCE_LIMIT: usize = 512;
/// The most tokens of a question and a group of two or more of its options.
const QUESTION_LIMIT: usize = 384;
/// The most tokens of a question and its longest option. Longer ones would leave no room for the state.
pub(super) const LONGEST_QUESTION: usize = 768;
/// The fewest tokens of a window of the state.
const MIN_WINDOW: usize = 32;
/// The tokens of a window of a state that takes several windows; as many as the question has, if these are more. The
/// model finds a fact among 160 tokens far more often than one among 480 (see its card).
const WINDOW: usize = 160;
/// A state that takes several windows is at least this many times as long as one window, so that there are at least
/// five: a fact can be in two overlapping windows, and the median must still be that of the windows without it.
const STATE_PER_WINDOW: usize = 4;

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
    pub(super) question: &'a TokenizedText,
    pub(super) outcomes: &'a [AnswerOption],
    /// The tokens of each outcome.
    pub(super) options: &'a [TokenizedText],
    pub(super) state: &'a TokenizedText,
}

impl QuestionTokens<'_> {
    /// The tokens of the question with its longest option.
    pub(super) fn longest_question(&self) -> usize {
        fixed(self.question) + self.options.iter().map(|option| option.ids.len() + 1).max().unwrap_or(0)
    }

    /// Counts the tokens of the sequences without building them. A long question leaves little room, so the state takes
    /// many windows, each once for every group: the result can be thousands of times the input.
    pub(super) fn tokens(&self) -> usize {
        let Split { lengths, groups, windows, .. } = self.split();
        let heads = groups.len() * fixed(self.question) + lengths.iter().sum::<usize>();
        let states = windows.iter().map(|window| window.len() + 1).sum::<usize>();
        heads * windows.len() + states * groups.len()
    }

    /// Builds the sequences.
    pub(super) fn layout(&self) -> QuestionLayout {
        let Split { order, groups, windows, .. } = self.split();
        let mut sequences = Vec::with_capacity(windows.len() * groups.len());
        for window in &windows {
            let state = Tokens::of(self.state).slice(window.clone());
            for group in &groups {
                let options = order[group.clone()].iter().map(|i| Tokens::of(&self.options[*i]));
                sequences.push(sequence(Tokens::of(self.question), &options.collect::<Vec<_>>(), state));
            }
        }
        QuestionLayout { order, windows: windows.len(), groups, sequences }
    }

    fn split(&self) -> Split {
        let order = order(self.outcomes);
        let lengths: Vec<usize> = order.iter().map(|i| self.options[*i].ids.len() + 1).collect();
        let fixed = fixed(self.question);
        let groups = groups(fixed, &lengths);
        let head = groups.iter().map(|group| fixed + lengths[group.clone()].iter().sum::<usize>()).max();
        let windows = windows(self.state.ids.len(), head.unwrap_or(fixed));
        Split { order, lengths, groups, windows }
    }
}

/// The order of the options in the sequences: by text.
fn order(outcomes: &[AnswerOption]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..outcomes.len()).collect();
    order.sort_by_key(|i| (&outcomes[*i].text, &outcomes[*i].key));
    order
}

impl QuestionLayout {
    /// The order of the options, without sequences.
    pub(super) fn in_order(outcomes: &[AnswerOption]) -> Self {
        Self { order: order(outcomes), ..Self::default() }
    }

    /// Tokens in all sequences.
    pub(super) fn tokens(&self) -> usize {
        self.sequences.iter().map(|sequence| sequence.ids.len()).sum()
    }

    /// Groups the logits of each sequence's markers by window. Options stay in the order of the sequences, so that even
    /// the rounding of a sum does not depend on the question's order.
    pub(super) fn by_window(&self, logits: &[&[f32]]) -> Vec<Vec<f64>> {
        let windows = logits.chunks(self.groups.len().max(1));
        windows
            .map(|logits| logits.iter().copied().flatten().map(|logit| f64::from(*logit)).collect())
            .collect()
    }

    /// Reorders a value for each option from the order of the sequences to the question's.
    pub(super) fn in_question_order(&self, values: &[f64]) -> Vec<f64> {
        let mut own = vec![0.0; values.len()];
        self.order.iter().zip(values).for_each(|(i, value)| own[*i] = *value);
        own
    }
}

/// Tokens of the question and of the special tokens around it and the options.
fn fixed(question: &TokenizedText) -> usize {
    question.ids.len() + 3
}

/// Groups options greedily so that each group fits [`QUESTION_LIMIT`] with the question, which has `fixed` tokens. An
/// option that does not fit is a group of its own.
pub(super) fn groups(fixed: usize, lengths: &[usize]) -> Vec<Range<usize>> {
    let mut groups = Vec::new();
    let mut start = 0;
    let mut used = fixed;
    for (i, length) in lengths.iter().enumerate() {
        if i > start && used + length > QUESTION_LIMIT {
            groups.push(start..i);
            start = i;
            used = fixed;
        }
        used += length;
    }
    groups.push(start..lengths.len());
    groups
}

/// Windows of the state that fit beside `head` tokens: one if it fits whole, else shorter ones. Each starts three
/// quarters of a window after the one before; the last one ends with the state.
pub(super) fn windows(state: usize, head: usize) -> Vec<Range<usize>> {
    let most = SEQUENCE_LIMIT.saturating_sub(head + 1).max(MIN_WINDOW);
    let shorter = WINDOW.max(head).min(state / STATE_PER_WINDOW).max(MIN_WINDOW);
    let room = if state > most { most.min(shorter) } else { most };
    let mut windows = Vec::new();
    let mut at = 0;
    while at + room < state {
        windows.push(at..at + room);
        at += room * 3 / 4;
    }
    windows.push(state.saturating_sub(room)..state);
    windows
}

/// Tokens and the value that each is part of.
#[derive(Clone, Copy)]
struct Tokens<'a> {
    ids: &'a [u32],
    values: &'a [Option<TextValue>],
}

impl<'a> Tokens<'a> {
    fn of(text: &'a TokenizedText) -> Self {
        Self { ids: &text.ids, values: &text.values }
    }

    fn slice(self, range: Range<usize>) -> Self {
        Self { ids: &self.ids[range.clone()], values: &self.values[range] }
    }
}

/// A zone of a sequence, and the owner of the tokens that are put there.
#[derive(Clone, Copy)]
struct Place {
    zone: u8,
    /// 0 for tokens without an owner.
    owner: u16,
}

const QUESTION: Place = Place { zone: 0, owner: 0 };
const AFTER_OPTIONS: Place = Place { zone: 1, owner: 0 };
const STATE: Place = Place { zone: 2, owner: 0 };

/// A sequence under construction.
struct SequenceBuilder {
    scales: Scales,
    sequence: Sequence,
}

impl SequenceBuilder {
    /// Adds a token at an offset in its zone, and returns its index in the sequence.
    fn put(&mut self, place: Place, offset: usize, id: u32, value: Option<TextValue>) -> usize {
        let Range { start, end } = ZONES[usize::from(place.zone)];
        let sequence = &mut self.sequence;
        sequence.ids.push(id);
        sequence.positions.push((start + offset).min(end - 1) as u16);
        sequence.segments.push(place.zone);
        sequence.owners.push(place.owner);
        sequence.ranks.push(self.scales.rank(value));
        sequence.ids.len() - 1
    }

    /// Adds tokens from an offset on.
    fn put_all(&mut self, place: Place, offset: usize, tokens: Tokens<'_>) {
        for (at, (id, value)) in tokens.ids.iter().zip(tokens.values).enumerate() {
            self.put(place, offset + at, *id, *value);
        }
    }
}

fn sequence(question: Tokens<'_>, options: &[Tokens<'_>], state: Tokens<'_>) -> Sequence {
    let option_tokens: usize = options.iter().map(|option| option.ids.len() + 1).sum();
    let size = question.ids.len() + 3 + option_tokens + state.ids.len() + 1;
    let scales = Scales::of(question.values.iter().chain(state.values));
    let sequence = Sequence {
        ids: Vec::with_capacity(size),
        positions: Vec::with_capacity(size),
        segments: Vec::with_capacity(size),
        owners: Vec::with_capacity(size),
        ranks: Vec::with_capacity(size),
        markers: Vec::with_capacity(options.len()),
    };
    let mut builder = SequenceBuilder { scales, sequence };
    builder.put(QUESTION, 0, CLS, None);
    builder.put_all(QUESTION, 1, question);
    builder.put(QUESTION, question.ids.len() + 1, SEP, None);
    for (option, owner) in options.iter().zip(1..) {
        let place = Place { zone: 1, owner };
        let marker = builder.put(place, 0, MASK, None);
        builder.sequence.markers.push(marker as u32);
        builder.put_all(place, 1, *option);
    }
    builder.put(AFTER_OPTIONS, usize::from(u8::MAX), SEP, None);
    builder.put_all(STATE, 0, state);
    builder.put(STATE, state.ids.len(), SEP, None);
    builder.sequence
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
        assert_eq!(windows(640, 100), [0..160, 120..280, 240..400, 360..520, 480..640]);
        assert_eq!(windows(416, 100), [0..104, 78..182, 156..260, 234..338, 312..416], "at least five");
        assert_eq!(
            windows(820, 200),
            [0..200, 150..350, 300..500, 450..650, 600..800, 620..820],
            "as long as the question"
        );
        assert_eq!(
            windows(900, 300),
            [0..211, 158..369, 316..527, 474..685, 632..843, 689..900],
            "no longer than there is room"
        );
        assert_eq!(windows(40, 700), [0..32, 8..40]);
    }

    fn text(id: u32, length: usize) -> TokenizedText {
        TokenizedText { ids: vec![id; length], values: vec![None; length] }
    }

    #[test]
    fn tokens_are_counted_before_they_are_laid_out() {
        for (question, option, options) in [(3, 2, 2), (3, 40, 30), (300, 60, 5), (700, 1, 3), (0, 1, 255)] {
            let names = (0..options).map(|n: usize| n.to_string());
            let outcomes: Vec<_> = names.map(|name| AnswerOption { key: name.clone(), text: name }).collect();
            let parts = QuestionTokens {
                question: &text(7, question),
                outcomes: &outcomes,
                options: &vec![text(8, option); options],
                state: &text(9, 2_000),
            };
            assert_eq!(parts.tokens(), parts.layout().tokens(), "{question} {option} {options}");
        }
    }

    #[test]
    fn options_share_their_positions() {
        let none = [None; 2];
        let options = [Tokens { ids: &[20, 21], values: &none }, Tokens { ids: &[30], values: &none[1..] }];
        let question = Tokens { ids: &[7, 8], values: &none };
        let sequence = sequence(question, &options, Tokens { ids: &[40], values: &none[1..] });
        assert_eq!(sequence.ids, [CLS, 7, 8, SEP, MASK, 20, 21, MASK, 30, SEP, 40, SEP]);
        assert_eq!(sequence.positions, [0, 1, 2, 3, 96, 97, 98, 96, 97, 191, 192, 193]);
        assert_eq!(sequence.segments, [0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 2, 2]);
        assert_eq!(sequence.owners, [0, 0, 0, 0, 1, 1, 1, 2, 2, 0, 0, 0]);
        assert_eq!(sequence.markers, [4, 7]);
    }
}
