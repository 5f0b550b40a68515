//! Finds the entries of the lexicon in a message.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use daachorse::CharwiseDoubleArrayAhoCorasick;
use ports::text::{LexiconHit, LexiconKind, scripts::is_unspaced};

use super::{
    entry::{LexiconEntry, TermMatch},
    files::ENTRIES,
};
use crate::text::words::Normalized;

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
    /// The entries of each pattern, with their languages.
    entries: Vec<Vec<(&'static str, &'static LexiconEntry)>>,
}

impl Lexicon {
    /// The lexicon in the binary. `None` if it is empty.
    pub fn shared() -> Option<&'static Self> {
        SHARED.as_ref()
    }

    fn of(files: &'static [(&'static str, Vec<LexiconEntry>)]) -> Option<Self> {
        let mut entries: Vec<Vec<(&'static str, &'static LexiconEntry)>> = Vec::new();
        let mut numbers: HashMap<String, u32> = HashMap::new();
        for (language, file) in files {
            for entry in file {
                let number = *numbers.entry(pattern(entry)).or_insert(entries.len() as u32);
                if number as usize == entries.len() {
                    entries.push(Vec::new());
                }
                entries[number as usize].push((language, entry));
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
            for &(of, entry) in &self.entries[found.value() as usize] {
                if entry.own && language != of || !seen.insert((of, entry.term.as_str())) {
                    continue;
                }
                // Less the space at the beginning, and those around the term.
                let start =
                    found.end() - usize::from(padded[..found.end()].ends_with(' ')) - entry.term.len();
                let start = start.saturating_sub(1);
                let within = entry.matches == TermMatch::Start && start > 0;
                if within || entry.kind == LexiconKind::Incitement && is_negated(text, start) {
                    continue;
                }
                let Some((start, end)) = span(content, text, start, &entry.term) else { continue };
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

/// An entry with spaces where words must begin and end. Scripts without spaces have none.
fn pattern(entry: &LexiconEntry) -> String {
    let term = &entry.term;
    let begins = entry.matches != TermMatch::Part && !term.starts_with(is_unspaced);
    let ends = matches!(entry.matches, TermMatch::Word | TermMatch::Start) && !term.ends_with(is_unspaced);
    let before = if begins { " " } else { "" };
    let after = if ends { " " } else { "" };
    format!("{before}{term}{after}")
}

/// Whether one of the words before the byte `start` of the normalised text is a negation.
fn is_negated(text: &Normalized, start: usize) -> bool {
    let first = text.words.partition_point(|word| word.end <= start);
    let before = &text.words[first.saturating_sub(NEGATED_WITHIN)..first];
    before.iter().any(|word| NEGATIONS.contains(&text.word(word)))
}

/// The bytes of the message that a term stands in, which begins at `start` of the normalised text: the term itself
/// where it is within a longer word as it is written, else the whole words.
fn span(content: &str, text: &Normalized, start: usize, term: &str) -> Option<(usize, usize)> {
    let end = start + term.len();
    let first = text.words.partition_point(|word| word.end <= start);
    let last = text.words.partition_point(|word| word.start < end).checked_sub(1)?;
    let from = text.words.get(first)?.from;
    let to = text.words.get(last)?.to;
    let written = content.get(from..to)?;
    let within = written.find(term).filter(|_| first == last);
    Some(within.map_or((from, to), |at| (from + at, from + at + term.len())))
}
