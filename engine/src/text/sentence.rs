//! What is throughout a sentence, and so says how its words are disguised: letters that are spelt out, hyphens within
//! words, digits and signs for letters. A sentence is read by itself, so that nothing around it hides what it says.

use std::ops::Range;

use ports::text::{
    reader::Glyph,
    scripts::{self, HAN, HANGUL, KANA},
};

use super::{
    leet::Leet,
    raw_words::{Gap, RawWords},
};

/// The most letters of a spelt-out word; further ones begin another word.
const MAX_SPELLED_LETTERS: usize = 64;
/// The fewest letters that spell a word out, and those in a sentence that spells out several longer ones.
const MIN_SPELLED: usize = 3;
const MIN_SPELLED_THROUGHOUT: usize = 2;
/// The fewest syllables with spaces between them that are one word.
const MIN_SYLLABLES: usize = 5;
/// The fewest words with hyphens in them of a sentence that puts one into most of its words.
const MIN_HYPHENATED: usize = 2;
/// The fewest letters of a word that could have one.
const MIN_HYPHENATED_LETTERS: usize = 3;

/// Where the sentences of a message end: behind a line, and behind a full stop or the like that ends a word of two
/// letters or more.
pub(super) fn sentence_ends(glyphs: &[Glyph]) -> Vec<usize> {
    let ends = (2..glyphs.len()).filter(|&at| {
        let after_word = glyphs[at - 2..at].iter().all(|glyph| glyph.char.is_alphanumeric());
        let space = glyphs.get(at + 1).is_none_or(|next| next.char.is_whitespace());
        after_word && (glyphs[at].char == '\n' || space && matches!(glyphs[at].char, '.' | '!' | '?' | '。'))
    });
    ends.map(|at| at + 1).chain([glyphs.len()]).collect()
}

/// The words of a sentence.
pub(super) struct Sentence<'a> {
    raw: &'a RawWords,
    pub(super) words: Range<usize>,
    pub(super) leet: Leet,
    /// Whether hyphens within words are a disguise.
    hyphens: bool,
    spelling: Spelling,
}

/// How a sentence spells words out.
#[derive(Clone, Copy, Debug)]
struct Spelling {
    /// The fewest letters of a word.
    least: usize,
    /// What is between them, where it is the same in several words.
    gap: Option<Gap>,
}

impl<'a> Sentence<'a> {
    pub(super) fn new(raw: &'a RawWords, words: Range<usize>, leet: Leet) -> Self {
        let spelling = Spelling { least: MIN_SPELLED, gap: None };
        let mut sentence = Self { raw, words, leet, hyphens: false, spelling };
        sentence.hyphens = sentence.are_hyphens_disguise();
        sentence.spelling = sentence.spelling();
        sentence
    }

    /// Whether at least half of the longer words have a hyphen or the like in them.
    fn are_hyphens_disguise(&self) -> bool {
        let mut words = 0;
        let mut hyphenated = 0;
        let mut at = self.words.start;
        while at < self.words.end {
            let more = (at + 1..self.words.end).take_while(|next| is_hyphen(self.raw.gaps[*next]));
            let pieces = 1 + more.count();
            let letters = (at..at + pieces).flat_map(|piece| self.raw.word(piece).chars());
            let letters = letters.filter(|char| char.is_alphabetic()).count();
            words += usize::from(letters >= MIN_HYPHENATED_LETTERS);
            hyphenated += usize::from(pieces > 1);
            at += pieces;
        }
        hyphenated >= MIN_HYPHENATED && hyphenated * 2 >= words
    }

    /// How words are spelt out, from those of three letters or more.
    fn spelling(&self) -> Spelling {
        let mut first = None;
        let mut at = self.words.start;
        while at < self.words.end {
            let run = self.spelled_out(at);
            if run > 0 {
                let gap = self.raw.gaps[at + 1];
                if first == Some(gap) {
                    return Spelling { least: MIN_SPELLED_THROUGHOUT, gap: first };
                }
                first = Some(gap);
            }
            at += run.max(1);
        }
        self.spelling
    }

    /// Whether the sign before word number `at` is within a word, since most words have one.
    pub(super) fn hides_in_hyphen(&self, at: usize) -> bool {
        self.hyphens && is_hyphen(self.raw.gaps[at])
    }

    /// The number of single letters from `at` on that spell a word out (`f r e e`, `k.y.s`): enough of them, evenly
    /// spaced and closer than those around them; otherwise 0. With spaces between them, syllables of Korean and Chinese
    /// characters are words, unless they are closer than the others.
    pub(super) fn spelled_out(&self, at: usize) -> usize {
        let raw = self.raw;
        let second = Some(at + 1).filter(|second| *second < self.words.end);
        let Some(gap) = second.map(|second| raw.gaps[second]).filter(|gap| gap.length <= 3) else { return 0 };
        let usual = self.spelling.gap.is_none_or(|usual| usual == gap);
        if !usual || !is_single(raw.word(at)) || at > self.words.start && self.is_closer(at, gap, at - 1) {
            return 0;
        }
        let more = (at + 1..self.words.end.min(at + MAX_SPELLED_LETTERS))
            .take_while(|&i| raw.gaps[i] == gap && is_single(raw.word(i)))
            .count();
        let end = at + more + 1;
        let run = more + usize::from(end == self.words.end || !self.is_closer(end, gap, end));
        let syllables = gap.spaced && raw.word(at).starts_with(is_syllable) && run < MIN_SYLLABLES;
        if syllables && !self.is_apart(at..at + run) {
            return 0;
        }
        let letters = (at..at + run).filter(|&i| raw.word(i).chars().all(char::is_alphabetic)).count();
        if run >= self.spelling.least && letters * 2 > run { run } else { 0 }
    }

    /// Whether there are fewer spaces between some words than before or behind them.
    pub(super) fn is_apart(&self, words: Range<usize>) -> bool {
        let Some(within) = self.raw.gaps.get(words.start + 1) else { return false };
        let before = words.start > self.words.start && self.raw.gaps[words.start].spaces > within.spaces;
        before || words.end < self.words.end && self.raw.gaps[words.end].spaces > within.spaces
    }

    /// Whether word number `at` is closer to the one before than a gap is wide, and word number `beside` is a single
    /// letter.
    fn is_closer(&self, at: usize, gap: Gap, beside: usize) -> bool {
        self.raw.gaps[at].length < gap.length && is_single(self.raw.word(beside))
    }
}

/// Whether two words have one sign between them that ends no word.
fn is_hyphen(gap: Gap) -> bool {
    gap.length == 1 && !gap.spaced && !gap.punctuated
}

/// Whether a character is a syllable or a sign of its own.
pub(super) fn is_syllable(char: char) -> bool {
    scripts::script(char) & (HAN | HANGUL | KANA) != 0
}

/// Whether a word is a single letter or digit.
fn is_single(word: &str) -> bool {
    let mut chars = word.chars();
    matches!((chars.next(), chars.next()), (Some(char), None) if char.is_alphanumeric())
}
