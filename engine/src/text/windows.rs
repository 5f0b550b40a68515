//! Splits a message into the windows that are scored beside the whole, so that harmless text around a harm does not
//! dilute it. A window begins and ends where a sentence or a line does, or holds a fixed number of words.

use std::collections::HashSet;
use std::ops::Range;

use ports::text::is_invisible;

use super::normalize::Normalized;

/// The most consecutive sentences of a window.
const SENTENCES: usize = 3;
/// Words of the windows that cut a longer sentence; consecutive ones overlap by half.
const CUT_WORDS: [usize; 3] = [24, 12, 6];
/// What such a window's harms lose, in log-odds: it may tear words from what they are said about.
const CUT_PENALTY: f32 = 0.25;
/// Different words that count as a sentence of their own where a message is cut: a text without punctuation is no shorter for it, and no
/// longer for saying the same again.
const WORDS_PER_SENTENCE: usize = 12;
/// Sentences up to which windows lose nothing, what they lose for each doubling beyond, and at most, in log-odds.
/// Chosen on dev rows, so that long honest texts are acted upon no more often than short ones.
const FREE_SENTENCES: f32 = 6.0;
const PENALTY: f32 = 3.5;
/// No harmless text around a sentence lowers any harm of it by more than this, in log-odds.
pub const MAX_PENALTY: f32 = 6.0;
/// Bytes of a quotation that is kept together with the words that introduce it.
const MAX_QUOTATION: usize = 400;

/// A part of a message that is scored by itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Window {
    /// Indices of [`Normalized::words`].
    pub words: Range<usize>,
    /// Log-odds that its harms lose against those of the whole message.
    pub penalty: f32,
    /// Whether it begins or ends within a sentence.
    pub cut: bool,
}

/// The windows in which a message is read, the whole first.
pub fn message_windows(content: &str, text: &Normalized, sentences: &[Range<usize>]) -> Vec<Window> {
    let whole = Window { words: 0..text.words.len(), penalty: 0.0, cut: false };
    let parts = sentence_windows(text, sentences, SENTENCES).into_iter();
    std::iter::once(whole).chain(parts).chain(cut_windows(content, text, sentences)).collect()
}

/// The sentences and lines of a message, as consecutive ranges of its words. A quotation that a sentence introduces
/// or comments on is part of that sentence.
pub fn sentences(content: &str, text: &Normalized) -> Vec<Range<usize>> {
    let quotations = quotations(content);
    let mut sentences = Vec::new();
    let mut start = 0;
    for at in 1..text.words.len() {
        let before = &text.words[at - 1];
        let after = &text.words[at];
        let gap = &content[before.to.min(after.from)..after.from];
        let previous = &content[before.from..before.to];
        let ended = ends_sentence(previous, gap) && !ends_sentence(&content[after.from..after.to], "");
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

/// Whether a sentence or line ends with a word or in the gap behind it.
fn ends_sentence(word: &str, gap: &str) -> bool {
    let strong = |char: char| {
        matches!(char, '!' | '?' | '…' | '。' | '！' | '？' | '．' | '।' | '॥' | '؟' | '۔' | '؛' | '｡')
    };
    let mut chars = gap.chars().filter(|char| !is_invisible(*char)).peekable();
    while let Some(char) = chars.next() {
        let before_space =
            chars.peek().is_none_or(|next| next.is_whitespace() || "\"'”’»)]*_`|~".contains(*next));
        if matches!(char, '\n' | '\r' | '\u{2028}' | '\u{2029}')
            || strong(char)
            || matches!(char, '.' | ';') && before_space
        {
            return true;
        }
    }
    word.chars().all(strong)
}

/// Quotations with other words on their line, from the opening mark to the closing one.
fn quotations(content: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut open: Option<(usize, char)> = None;
    for (at, char) in content.char_indices() {
        match open {
            Some((from, close)) if char == close => {
                if at - from <= MAX_QUOTATION && has_company(content, from, at + char.len_utf8()) {
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

/// Whether words stand beside a quotation in the same sentence.
fn has_company(content: &str, from: usize, to: usize) -> bool {
    let letters = |text: &str| text.chars().any(char::is_alphanumeric);
    let before = content[..from].rsplit(['\n', '.', '!', '?']).next().unwrap_or_default();
    let after = content[to..].split(['\n', '.', '!', '?']).next().unwrap_or_default();
    letters(before) || letters(after)
}

/// Windows of one sentence up to `most` consecutive ones, but not the whole.
pub fn sentence_windows(text: &Normalized, sentences: &[Range<usize>], most: usize) -> Vec<Window> {
    let penalty = penalty_of(different(text, sentences).len());
    let lengths = 1..=most.min(sentences.len().saturating_sub(1));
    let runs = lengths.flat_map(|length| sentences.windows(length));
    runs.map(|run| Window { words: run[0].start..run[run.len() - 1].end, penalty, cut: false }).collect()
}

/// Overlapping windows of a fixed number of words, of the sentences that are longer. None has words of a quotation, which would lose
/// what is said about it.
pub fn cut_windows(content: &str, text: &Normalized, sentences: &[Range<usize>]) -> Vec<Window> {
    let sizes = |sentence: &Range<usize>| {
        let words = sentence.len();
        CUT_WORDS.into_iter().filter(move |size| words * 2 > size * 3)
    };
    if !sentences.iter().any(|sentence| sizes(sentence).next().is_some()) {
        return Vec::new();
    }
    let quotations = quotations(content);
    let quotes = |words: &Range<usize>| {
        let from = text.words[words.start].from;
        let to = text.words[words.end - 1].to;
        let next = quotations.partition_point(|quoted| quoted.end <= from);
        quotations.get(next).is_some_and(|quoted| quoted.start < to)
    };
    let vocabulary = |words: &Range<usize>| {
        text.words[words.clone()].iter().map(|word| text.word(word)).collect::<HashSet<_>>().len()
    };
    let pieces = different(text, sentences)
        .into_iter()
        .map(|words| vocabulary(words).div_ceil(WORDS_PER_SENTENCE))
        .sum();
    let penalty = penalty_of(pieces) + CUT_PENALTY;
    let mut windows = Vec::new();
    for sentence in sentences {
        for size in sizes(sentence) {
            let starts = (sentence.start..sentence.end - size / 2).step_by(size / 2);
            let words = starts.map(|start| start..(start + size).min(sentence.end));
            let words = words.filter(|words| !quotes(words));
            windows.extend(words.map(|words| Window { words, penalty, cut: true }));
        }
    }
    windows
}

/// At most `most` sentences: of more, neighbours are joined.
pub fn at_most(sentences: &[Range<usize>], most: usize) -> Vec<Range<usize>> {
    let joined = sentences.chunks(sentences.len().div_ceil(most).max(1));
    joined.map(|some| some[0].start..some[some.len() - 1].end).collect()
}

/// The different sentences.
fn different<'a>(text: &Normalized, sentences: &'a [Range<usize>]) -> Vec<&'a Range<usize>> {
    let words =
        |words: &Range<usize>| &text.text[text.words[words.start].start..text.words[words.end - 1].end];
    let mut seen = HashSet::new();
    sentences.iter().filter(|sentence| seen.insert(words(sentence))).collect()
}

/// A longer message has more windows, and so more chances of a false alarm. A sentence that is repeated counts once.
fn penalty_of(pieces: usize) -> f32 {
    (PENALTY * (pieces as f32 / FREE_SENTENCES).log2()).clamp(0.0, MAX_PENALTY)
}
