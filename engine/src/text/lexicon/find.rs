//! Finds the entries of the lexicon in a message.

use std::{
    collections::{HashMap, HashSet},
    ops::Range,
    sync::LazyLock,
};

use daachorse::CharwiseDoubleArrayAhoCorasick;
use ports::text::{LexiconHit, LexiconKind, scripts::is_unspaced};

use super::{
    author::is_of_author,
    entry::{LexiconEntry, TermMatch},
    files::ENTRIES,
    vocabulary::Vocabulary,
};
use crate::text::{normalize::normalize, words::Normalized};

static SHARED: LazyLock<Option<Lexicon>> = LazyLock::new(|| Lexicon::of(&ENTRIES));

/// Words before a call to suicide that make it the opposite, as in "please don't kill yourself"; as normalised.
const NEGATIONS: [&str; 20] = [
    "dont", "not", "never", "nobody", "nicht", "niemals", "nie", "pas", "jamais", "no", "nunca", "nao",
    "non", "mai", "niet", "nooit", "ne", "jangan", "mat", "لا",
];
/// How many words before it are looked at.
const NEGATED_WITHIN: usize = 2;

/// All entries, to be found in one pass.
pub struct Lexicon {
    automaton: CharwiseDoubleArrayAhoCorasick<u32>,
    /// The entries of each pattern.
    entries: Vec<Vec<Term>>,
}

/// An entry of a language, as a message's words may be read.
struct Term {
    language: &'static str,
    entry: &'static LexiconEntry,
    /// The length of the reading.
    bytes: usize,
}

impl Lexicon {
    /// The lexicon in the binary. `None` if it is empty.
    pub fn shared() -> Option<&'static Self> {
        SHARED.as_ref()
    }

    fn of(files: &'static [(&'static str, Vec<LexiconEntry>)]) -> Option<Self> {
        let mut entries: Vec<Vec<Term>> = Vec::new();
        let mut numbers: HashMap<String, u32> = HashMap::new();
        for (language, file) in files {
            for entry in file {
                let read = reading(entry);
                for term in [Some(&entry.term), read.as_ref()].into_iter().flatten() {
                    let number = *numbers.entry(pattern(entry, term)).or_insert(entries.len() as u32);
                    if number as usize == entries.len() {
                        entries.push(Vec::new());
                    }
                    entries[number as usize].push(Term { language, entry, bytes: term.len() });
                }
            }
        }
        let automaton = CharwiseDoubleArrayAhoCorasick::with_values(numbers).ok()?;
        Some(Self { automaton, entries })
    }

    /// The entries in a message in a language, each once, in time linear in its length.
    pub fn find(&self, content: &str, text: &Normalized, language: &str) -> Vec<LexiconHit> {
        let padded = format!(" {} ", text.text);
        let letters = text.text.chars().filter(|char| char.is_alphanumeric()).count().max(1);
        let mut seen = HashSet::new();
        let mut hits = Vec::new();
        for found in self.automaton.find_overlapping_iter(&padded) {
            for &Term { language: of, entry, bytes } in &self.entries[found.value() as usize] {
                if entry.own && language != of || seen.contains(&(of, entry.term.as_str())) {
                    continue;
                }
                // Less the space at the beginning, and those around the term.
                let start = found.end() - usize::from(padded[..found.end()].ends_with(' ')) - bytes;
                let start = start.saturating_sub(1);
                if is_harmless(entry, text, start..start + bytes, language) {
                    continue;
                }
                let Some((start, end)) = span(content, text, start..start + bytes) else { continue };
                if !has_digits_of(&content[start..end], entry.written) {
                    continue;
                }
                seen.insert((of, entry.term.as_str()));
                let LexiconEntry { kind, degree, .. } = *entry;
                let own = entry.term.chars().filter(|char| char.is_alphanumeric()).count();
                let share = (own as f64 / letters as f64).min(1.0);
                hits.push(LexiconHit { language: of, kind, degree, share, start, end });
            }
        }
        hits
    }
}

impl std::fmt::Debug for Lexicon {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Lexicon").field("entries", &self.entries.len()).finish_non_exhaustive()
    }
}

/// A term as it is read in a message, where that differs from its words: digits that stand for letters, hyphens,
/// letters of two scripts, words that are taken for several.
fn reading(entry: &LexiconEntry) -> Option<String> {
    let mixed =
        entry.term.contains(is_unspaced) && entry.term.contains(|char: char| char.is_ascii_alphanumeric());
    let disguised = entry.written.contains(|char: char| char == '-' || char.is_ascii_digit());
    if !mixed && !disguised && !entry.term.split(' ').any(may_be_misread) {
        return None;
    }
    Some(normalize(entry.written, &[]).text).filter(|read| *read != entry.term)
}

/// Whether a word may be read as part of another one, with a letter less, or as several.
fn may_be_misread(word: &str) -> bool {
    let vocabulary = Vocabulary::shared();
    let letters: Vec<char> = word.chars().collect();
    letters.len() == 1
        || letters.windows(2).any(|two| two[0] == two[1]) && !vocabulary.has(word)
        || vocabulary.split(word, false).is_some()
}

/// Whether a text has the digits of a term, if the term has any: what is read has others, or none.
fn has_digits_of(text: &str, term: &str) -> bool {
    let mut digits = term.chars().filter(char::is_ascii_digit).peekable();
    digits.peek().is_none() || digits.eq(text.chars().filter(char::is_ascii_digit))
}

/// An entry with spaces where words must begin and end. Scripts without spaces have none.
fn pattern(entry: &LexiconEntry, term: &str) -> String {
    let begins = entry.matches != TermMatch::Part && !term.starts_with(is_unspaced);
    let ends = matches!(entry.matches, TermMatch::Word | TermMatch::Start) && !term.ends_with(is_unspaced);
    let before = if begins { " " } else { "" };
    let after = if ends { " " } else { "" };
    format!("{before}{term}{after}")
}

/// Whether what stands around an entry makes it harmless.
fn is_harmless(entry: &LexiconEntry, text: &Normalized, bytes: Range<usize>, language: &str) -> bool {
    if entry.matches == TermMatch::Start && bytes.start > 0 {
        return true;
    }
    match entry.kind {
        LexiconKind::Incitement => is_negated(text, bytes),
        LexiconKind::Insult | LexiconKind::Profanity => is_of_author(text, bytes.start, language),
        LexiconKind::Slur | LexiconKind::Sexual | LexiconKind::Threat | LexiconKind::Crisis => false,
    }
}

/// Whether one of the words before some bytes of the normalised text is a negation, or what is behind them calls them
/// wrong, as in "kill yourself is never okay".
fn is_negated(text: &Normalized, bytes: Range<usize>) -> bool {
    let first = text.words.partition_point(|word| word.end <= bytes.start);
    let before = &text.words[first.saturating_sub(NEGATED_WITHIN)..first];
    let behind = text.words.partition_point(|word| word.start < bytes.end);
    let mut behind = text.words[behind..].iter().map(|word| text.word(word));
    let called_wrong = match behind.next() {
        Some("isnt" | "wasnt") => true,
        Some("is" | "was" | "ist" | "est" | "es" | "jest") => {
            behind.next().is_some_and(|word| NEGATIONS.contains(&word))
        }
        _ => false,
    };
    called_wrong || before.iter().any(|word| NEGATIONS.contains(&text.word(word)))
}

/// The bytes of the message that some of the normalised text stand for: a term itself where it is within a longer word
/// as it is written, else the whole words.
fn span(content: &str, text: &Normalized, bytes: Range<usize>) -> Option<(usize, usize)> {
    let term = text.text.get(bytes.clone())?;
    let first = text.words.partition_point(|word| word.end <= bytes.start);
    let last = text.words.partition_point(|word| word.start < bytes.end).checked_sub(1)?;
    let from = text.words.get(first)?.from;
    let to = text.words.get(last)?.to;
    let written = content.get(from..to)?;
    let within = written.find(term).filter(|_| first == last);
    Some(within.map_or((from, to), |at| (from + at, from + at + term.len())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finds(content: &str, language: &str) -> Vec<LexiconHit> {
        Lexicon::shared().expect("a lexicon").find(content, &normalize(content, &[]), language)
    }

    #[test]
    fn every_entry_is_found_in_a_message_that_is_nothing_else() {
        let mut lost = Vec::new();
        for (language, entries) in ENTRIES.iter() {
            for entry in entries {
                let found = finds(entry.written, language);
                if !found.iter().any(|hit| hit.language == *language && hit.kind == entry.kind) {
                    lost.push(format!("{language} {}", entry.written));
                }
            }
        }
        assert!(lost.is_empty(), "{} are lost: {lost:#?}", lost.len());
    }

    #[test]
    fn what_is_said_of_the_author_or_called_wrong_is_no_harm() {
        for (content, language) in [
            ("I'm such an idiot", "en"),
            ("ich Idiot hab den Herd angelassen", "de"),
            ("soy una idiota", "es"),
            ("我是傻逼", "zh"),
            ("main chutiya hu", "hi-Latn"),
            ("kill yourself is never an ok thing to tell people", "en"),
            ("please don't kill yourself", "en"),
        ] {
            let found = finds(content, language);
            let harms = found.iter().filter(|hit| hit.degree > 1 && hit.kind != LexiconKind::Sexual);
            assert_eq!(harms.count(), 0, "{content}: {found:?}");
        }
        for content in ["you idiot", "i hate you stupid bitch", "kill yourself", "you are such an idiot"] {
            assert!(!finds(content, "en").is_empty(), "{content}");
        }
    }
}
