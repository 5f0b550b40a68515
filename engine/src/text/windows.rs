//! Splits a message into the windows that are scored beside the whole, so that harmless text around a harm does not
//! dilute it. A window begins and ends where a sentence or a line does, or holds a fixed number of words.

use std::collections::HashSet;
use std::ops::Range;

use ports::text::reader::is_invisible;

use super::words::{Normalized, Word};

/// The most consecutive sentences of a window.
const SENTENCES: usize = 3;
/// Words of the windows that cut a longer sentence; consecutive ones overlap by half.
const CUT_WORDS: [usize; 3] = [24, 12, 6];
/// The penalty of such a window, in log-odds: it may separate words from their context.
const CUT_PENALTY: f32 = 0.25;
/// The number of different words that count as one sentence where a message is cut, so that neither missing punctuation
/// nor repetition changes the length of a text.
const WORDS_PER_SENTENCE: usize = 12;
/// The number of sentences up to which windows have no penalty. Chosen on dev rows, like [`PENALTY`], so that long
/// honest texts cause no more false alarms than short ones.
const FREE_SENTENCES: f32 = 6.0;
/// The penalty for each doubling of the sentences beyond, in log-odds.
const PENALTY: f32 = 3.5;
/// The greatest penalty, in log-odds: harmless text around a sentence lowers no harm by more.
pub const MAX_PENALTY: f32 = 6.0;
/// The most bytes of a quotation that is kept together with the words that introduce it.
const MAX_QUOTATION: usize = 400;

/// A part of a message that is scored by itself.
#[derive(Clone, Debug, PartialEq)]
pub struct TextWindow {
    /// Indices of [`Normalized::words`].
    pub words: Range<usize>,
    /// The log-odds that are subtracted from its harms, compared with those of the whole message.
    pub penalty: f32,
    /// Whether it begins or ends within a sentence.
    pub cut: bool,
}

/// The windows in which a message is read, the whole first.
pub fn message_windows(content: &str, text: &Normalized, sentences: &[Range<usize>]) -> Vec<TextWindow> {
    let whole = TextWindow { words: 0..text.words.len(), penalty: 0.0, cut: false };
    let parts = sentence_windows(text, sentences, SENTENCES).into_iter();
    std::iter::once(whole).chain(parts).chain(cut_windows(content, text, sentences)).collect()
}

/// The sentences and lines of a message, as consecutive ranges of its words. A quotation that a sentence introduces
/// or comments on is part of that sentence.
pub fn sentences(content: &str, text: &Normalized) -> Vec<Range<usize>> {
    let quotations = quotations(content);
    let lines_end = !has_a_word_a_line(content, text);
    let mut sentences = Vec::new();
    let mut start = 0;
    for at in 1..text.words.len() {
        let before = &text.words[at - 1];
        let after = &text.words[at];
        let gap = &content[before.to.min(after.from)..after.from];
        let previous = &content[before.from..before.to];
        let ended = ends_sentence(previous, gap, lines_end)
            && !ends_sentence(&content[after.from..after.to], "", lines_end);
        if ended && !quotations.iter().any(|quoted| quoted.contains(&after.from)) {
            sentences.push(start..at);
            start = at;
        }
    }
    if start < text.words.len() {
        sentences.push(start..text.words.len());
    }
    sentences
}

/// Whether a message is written with hardly more than a word a line, so that its lines are no sentences.
fn has_a_word_a_line(content: &str, text: &Normalized) -> bool {
    let lines = content.lines().filter(|line| !line.trim().is_empty()).count();
    lines > 3 && text.words.len() * 2 < lines * 3
}

/// Whether a sentence ends with a word or in the gap behind it, or a line does where lines are sentences.
fn ends_sentence(word: &str, gap: &str, lines_end: bool) -> bool {
    let mut chars = gap.chars().filter(|char| !is_invisible(*char)).peekable();
    while let Some(char) = chars.next() {
        let before_space =
            chars.peek().is_none_or(|next| next.is_whitespace() || "\"'”’»)]*_`|~".contains(*next));
        if lines_end && matches!(char, '\n' | '\r' | '\u{2028}' | '\u{2029}')
            || is_end_mark(char)
            || matches!(char, '.' | ';') && before_space
        {
            return true;
        }
    }
    word.chars().all(is_end_mark)
}

/// Whether a character ends a sentence wherever it is.
fn is_end_mark(char: char) -> bool {
    matches!(char, '!' | '?' | '…' | '。' | '！' | '？' | '．' | '।' | '॥' | '؟' | '۔' | '؛' | '｡')
}

/// Quotations with other words on their line, from the opening mark to the closing one.
fn quotations(content: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut open: Option<(usize, char)> = None;
    for (at, char) in content.char_indices() {
        match open {
            Some((from, close)) if char == close => {
                if at - from <= MAX_QUOTATION && has_context(content, from, at + char.len_utf8()) {
                    found.push(from..at);
                }
                open = None;
            }
            Some((from, _)) if at - from <= MAX_QUOTATION && char != '\n' => {}
            _ => {
                let close = match char {
                    '"' => '"',
                    '“' | '„' => '”',
                    '«' => '»',
                    '「' => '」',
                    _ => {
                        open = None;
                        continue;
                    }
                };
                open = Some((at, close));
            }
        }
    }
    found
}

/// Whether there are other words in the sentence of a quotation.
fn has_context(content: &str, from: usize, to: usize) -> bool {
    let before = content[..from].rsplit(['\n', '.', '!', '?']).next().unwrap_or_default();
    let after = content[to..].split(['\n', '.', '!', '?']).next().unwrap_or_default();
    before.chars().chain(after.chars()).any(char::is_alphanumeric)
}

/// Windows of one sentence up to `most` consecutive ones, but not the whole.
pub fn sentence_windows(text: &Normalized, sentences: &[Range<usize>], most: usize) -> Vec<TextWindow> {
    let penalty = penalty_of(different(text, sentences).len());
    let lengths = 1..=most.min(sentences.len().saturating_sub(1));
    let runs = lengths.flat_map(|length| sentences.windows(length));
    let windows =
        runs.map(|run| TextWindow { words: run[0].start..run[run.len() - 1].end, penalty, cut: false });
    windows.collect()
}

/// Overlapping windows of a fixed number of words, of the sentences that are longer. None has words of a quotation,
/// whose context would be lost.
pub fn cut_windows(content: &str, text: &Normalized, sentences: &[Range<usize>]) -> Vec<TextWindow> {
    if !sentences.iter().any(|sentence| cut_sizes(sentence).next().is_some()) {
        return Vec::new();
    }
    let quotations = quotations(content);
    let pieces = different(text, sentences)
        .into_iter()
        .map(|sentence| vocabulary(text, sentence).div_ceil(WORDS_PER_SENTENCE))
        .sum();
    let penalty = penalty_of(pieces) + CUT_PENALTY;
    let mut windows = Vec::new();
    for sentence in sentences {
        for size in cut_sizes(sentence) {
            let starts = (sentence.start..sentence.end - size / 2).step_by(size / 2);
            let words = starts.map(|start| start..(start + size).min(sentence.end));
            let words = words.filter(|words| !have_quotation(&text.words[words.clone()], &quotations));
            windows.extend(words.map(|words| TextWindow { words, penalty, cut: true }));
        }
    }
    windows
}

/// The sizes of the windows that cut a sentence.
fn cut_sizes(sentence: &Range<usize>) -> impl Iterator<Item = usize> + use<> {
    let words = sentence.len();
    CUT_WORDS.into_iter().filter(move |size| words * 2 > size * 3)
}

/// Whether words overlap with a quotation; `quotations` are sorted.
fn have_quotation(words: &[Word], quotations: &[Range<usize>]) -> bool {
    let Some(first) = words.first() else { return false };
    let Some(last) = words.last() else { return false };
    let next = quotations.partition_point(|quoted| quoted.end <= first.from);
    quotations.get(next).is_some_and(|quoted| quoted.start < last.to)
}

/// The number of different words of a sentence.
fn vocabulary(text: &Normalized, sentence: &Range<usize>) -> usize {
    text.words[sentence.clone()].iter().map(|word| text.word(word)).collect::<HashSet<_>>().len()
}

/// Joins neighbouring sentences, so that there are at most `most`.
pub fn at_most(sentences: &[Range<usize>], most: usize) -> Vec<Range<usize>> {
    let joined = sentences.chunks(sentences.len().div_ceil(most).max(1));
    joined.map(|some| some[0].start..some[some.len() - 1].end).collect()
}

/// The different sentences.
fn different<'a>(text: &Normalized, sentences: &'a [Range<usize>]) -> Vec<&'a Range<usize>> {
    let mut seen = HashSet::new();
    let different = sentences.iter().filter(|sentence| {
        seen.insert(&text.text[text.words[sentence.start].start..text.words[sentence.end - 1].end])
    });
    different.collect()
}

/// The penalty for a number of pieces: a longer message has more windows, and so more chances of a false alarm.
fn penalty_of(pieces: usize) -> f32 {
    (PENALTY * (pieces as f32 / FREE_SENTENCES).log2()).clamp(0.0, MAX_PENALTY)
}
