//! Whether a message is doxxing, and where.

use std::ops::Range;

use super::{
    cue::{Cue, CueSet},
    forms, loose, phrases,
    weights::{BIAS, WEIGHTS},
};
use crate::operations::moderation::{
    odds::sigmoid,
    personal_data::kind::{LikelyPersonalData, PersonalData, PersonalDataKind},
};

/// The probability from which it is found.
const FOUND_FROM: f64 = 0.5;
/// How many words are read together: cues that are further apart are unrelated.
const WINDOW: usize = 40;

/// The doxxing in a message, in order: each datum that is exposed, or else the sentence that says most. `found` is the
/// personal data in the message, in order.
pub(in crate::operations::moderation::personal_data) fn find(
    content: &str,
    found: &[PersonalData],
) -> Vec<LikelyPersonalData> {
    let mut all: Vec<LikelyPersonalData> = Vec::new();
    for window in windows(content) {
        let data = data(content, &window, found);
        let probability = sigmoid(log_odds(read(&content[window.clone()], !data.is_empty())));
        if probability < FOUND_FROM {
            continue;
        }
        let spans = if data.is_empty() { vec![main_sentence(content, window)] } else { data };
        for Range { start, end } in spans {
            match all.iter_mut().find(|other| other.start < end && start < other.end) {
                Some(other) => other.probability = other.probability.max(probability),
                None => all.push(LikelyPersonalData {
                    kind: PersonalDataKind::Doxxing,
                    start,
                    end,
                    country: None,
                    probability,
                }),
            }
        }
    }
    all.sort_by_key(|one| one.start);
    all
}

/// The cues of a whole message.
pub(in crate::operations::moderation::personal_data) fn cues(
    content: &str,
    found: &[PersonalData],
) -> CueSet {
    read(content, !data(content, &(0..content.len()), found).is_empty())
}

/// The cues of a text that `has_data` of a person, or has none.
fn read(text: &str, has_data: bool) -> CueSet {
    let plain = phrases::plain(text);
    let mut cues = CueSet::default();
    phrases::read(&plain, &mut cues);
    forms::read(text, &plain, &mut cues);
    cues.add(Cue::Data, has_data);
    cues.combine();
    cues
}

fn log_odds(cues: CueSet) -> f64 {
    BIAS + WEIGHTS.iter().filter(|(cue, _)| cues.has(*cue)).map(|(_, weight)| weight).sum::<f64>()
}

/// The data of somebody in a part of a message, in order, without overlaps.
fn data(content: &str, window: &Range<usize>, found: &[PersonalData]) -> Vec<Range<usize>> {
    let found = found.iter().filter(|one| one.kind != PersonalDataKind::Secret).map(|one| one.span.clone());
    let mut spans: Vec<Range<usize>> =
        found.filter(|span| window.start <= span.start && span.end <= window.end).collect();
    for span in loose::find(&content[window.clone()]) {
        let span = span.start + window.start..span.end + window.start;
        if spans.iter().all(|other| other.end <= span.start || span.end <= other.start) {
            spans.push(span);
        }
    }
    spans.sort_by_key(|span| span.start);
    spans
}

/// The parts of a message that are read, half overlapping.
fn windows(content: &str) -> Vec<Range<usize>> {
    let words: Vec<usize> = content.split_whitespace().map(|word| start_of(content, word)).collect();
    let mut windows = Vec::new();
    let mut first = 0;
    loop {
        let start = words.get(first).copied().unwrap_or_default();
        let end = words.get(first + WINDOW).copied().unwrap_or(content.len());
        windows.push(start..end);
        if end == content.len() {
            return windows;
        }
        first += WINDOW / 2;
    }
}

/// Where a part of a text starts in it.
fn start_of(text: &str, part: &str) -> usize {
    part.as_ptr() as usize - text.as_ptr() as usize
}

/// The sentence that points most to doxxing.
fn main_sentence(content: &str, window: Range<usize>) -> Range<usize> {
    let sentences = content[window.clone()].split_inclusive(['.', '!', '?', '\n', '。']).map(str::trim);
    let scored = sentences.filter(|sentence| !sentence.is_empty()).map(|sentence| {
        let start = start_of(content, sentence);
        (log_odds(read(sentence, false)), start..start + sentence.len())
    });
    scored.max_by(|a, b| a.0.total_cmp(&b.0)).map_or(window, |(_, span)| span)
}
