//! The words of a message as they are written.

use super::{
    leet::Leet,
    words::{LinkPosition, Word},
};

/// A message's words before `normalize`.
#[derive(Default)]
pub(super) struct RawWords {
    pub(super) text: String,
    pub(super) words: Vec<Word>,
    /// What separates each word from the one before.
    pub(super) gaps: Vec<Gap>,
    pub(super) links: Vec<LinkPosition>,
    pub(super) sentences: Vec<RawSentence>,
}

/// A sentence of a message.
pub(super) struct RawSentence {
    /// The number of its first word.
    pub(super) from: usize,
    pub(super) leet: Leet,
}

/// What separates two words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Gap {
    /// The number of separators, up to 255.
    pub(super) length: u8,
    /// The number of spaces among them.
    pub(super) spaces: u8,
    /// Whether there is white space, a link or a mention among them.
    pub(super) spaced: bool,
    /// Whether there is punctuation that ends a word: a full stop, a comma.
    pub(super) punctuated: bool,
}

impl Gap {
    /// Adds a separator. A line break counts twice, so that letters spelt out on two lines are not one word.
    pub(super) fn widen(&mut self, char: char) {
        self.length = self.length.saturating_add(if char == '\n' { 2 } else { 1 });
        self.spaces = self.spaces.saturating_add(u8::from(char.is_whitespace() && char != '\n'));
        self.spaced |= char.is_whitespace();
        self.punctuated |=
            !char.is_whitespace() && !matches!(char, '-' | '_' | '~' | '+' | '·' | '•' | '|' | '^');
    }
}

impl RawWords {
    /// The text of word number `n`.
    pub(super) fn word(&self, n: usize) -> &str {
        &self.text[self.words[n].start..self.words[n].end]
    }
}
