//! The words of a normalised message.

/// A normalised message.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Normalized {
    /// The words, separated by single spaces.
    pub text: String,
    pub words: Vec<Word>,
    pub links: Vec<LinkPosition>,
    /// Whether the message has an e-mail address.
    pub email: bool,
}

/// The position of a link among the words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkPosition {
    /// The index of the word after it, or the number of words.
    pub before: usize,
    /// A hash of its host.
    pub host: u64,
}

/// A word. `start..end` are bytes of [`Normalized::text`], `from..to` bytes of the original content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word {
    pub start: usize,
    pub end: usize,
    pub from: usize,
    pub to: usize,
    pub letters: u32,
    /// Capitals among the letters.
    pub capitals: u32,
    /// Whether it has at least three letters, all of them capitals.
    pub loud: bool,
}

impl Normalized {
    /// Whether capitals are 70 % of the letters of some words, and at least eight.
    pub fn shouted(words: &[Word]) -> bool {
        let capitals: u32 = words.iter().map(|word| word.capitals).sum();
        let letters: u32 = words.iter().map(|word| word.letters).sum();
        capitals >= 8 && capitals * 10 >= letters * 7
    }

    /// The normalised text of a word.
    pub fn word(&self, word: &Word) -> &str {
        &self.text[word.start..word.end]
    }
}
