//! Words and phrases of a lexicon of abuse, as an engine finds them in a message.

use strum::{EnumString, IntoStaticStr};

/// The languages of the lexicon, and the Latin spellings of some.
pub const LEXICON_LANGUAGES: [&str; 21] = [
    "en", "de", "fr", "es", "it", "pt", "nl", "pl", "ru", "ru-Latn", "tr", "ar", "ar-Latn", "hi", "hi-Latn",
    "id", "zh", "ja", "ja-Latn", "ko", "ko-Latn",
];

/// What an entry of the lexicon is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum LexiconKind {
    /// Swearing at nobody.
    Profanity,
    /// An insult of a person.
    Insult,
    /// A word that degrades a group or its members.
    Slur,
    /// A crude sexual word, or solicitation.
    Sexual,
    /// A call to kill or hurt oneself.
    Incitement,
    /// A threat by its words alone.
    Threat,
    /// What a person in a crisis says of themselves.
    Crisis,
}

/// An entry of the lexicon in a message. `start..end` are byte offsets into the original content.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LexiconHit {
    /// The language of the entry, such as `de` or `hi-Latn`.
    pub language: &'static str,
    pub kind: LexiconKind,
    /// 1 (swearing) to 5 (a credible threat).
    pub degree: u8,
    /// The number of its sentence in the message, from 0.
    pub sentence: usize,
    /// The share of its sentence's letters that it has, 0 to 1.
    pub share: f64,
    pub start: usize,
    pub end: usize,
}
