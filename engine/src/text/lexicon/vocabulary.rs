//! The words that help to undo a disguise: those of the lexicon, and common ones of many languages, into which words
//! that are written together are split.

use std::{
    collections::{HashMap, HashSet},
    sync::LazyLock,
};

use super::{
    entry::{LexiconEntry, TermMatch},
    files,
};
use crate::text::sentence::is_syllable;

/// The languages with lists of common words.
const LANGUAGES: usize = 12;
/// Common words of each, the most frequent first.
const COMMON: [&str; LANGUAGES] = [
    include_str!("../../../lexicon/common/en.txt"),
    include_str!("../../../lexicon/common/de.txt"),
    include_str!("../../../lexicon/common/fr.txt"),
    include_str!("../../../lexicon/common/es.txt"),
    include_str!("../../../lexicon/common/it.txt"),
    include_str!("../../../lexicon/common/pt.txt"),
    include_str!("../../../lexicon/common/nl.txt"),
    include_str!("../../../lexicon/common/pl.txt"),
    include_str!("../../../lexicon/common/tr.txt"),
    include_str!("../../../lexicon/common/id.txt"),
    include_str!("../../../lexicon/common/hi-Latn.txt"),
    include_str!("../../../lexicon/common/ru.txt"),
];
/// The costs of a word in the languages; infinite in those that do not have it.
type Costs = [f32; LANGUAGES];
/// The fewest letters of a stem, and of a word that is split.
const MIN_STEM: usize = 3;
/// The fewest syllables or signs of a word of scripts that have no letters.
const MIN_STEM_SYLLABLES: usize = 2;
const MIN_JOINED: usize = 8;
/// The fewest words and letters that a word is split into where no phrase of the lexicon is among them: `Spackenkill`
/// is a place.
const MIN_PIECES: usize = 3;
const MIN_LONG: usize = 12;
/// The most letters of a word that is split, and of its pieces.
const MAX_JOINED: usize = 80;
const MAX_PIECE: usize = 16;
/// The most words of a phrase that is looked for in a split.
const MAX_PHRASE: usize = 5;
/// The fewest words and letters that any word is split into, and the letters that they have on average.
const MIN_SENTENCE: usize = 4;
const MIN_AVERAGE: usize = 3;
/// The greatest costs a letter of the split of a word and of a sentence: `exterminated` is not `ex ter mina ted`.
/// Chosen among 230 words of dev rows that can be split.
const MAX_COST: f32 = 2.1;
const MAX_SENTENCE_COST: f32 = 1.5;
/// The rank of a word of the lexicon among the common ones.
const LEXICON_RANK: usize = 2_000;

/// Censored words of which only the first letter is left.
const CENSORED: [(&str, &str); 8] = [
    ("f**", "fuck"),
    ("f***", "fuck"),
    ("f******", "fucking"),
    ("s***", "shit"),
    ("b****", "bitch"),
    ("c***", "cunt"),
    ("a******", "asshole"),
    ("n*****", "nigger"),
];

static SHARED: LazyLock<Vocabulary> =
    LazyLock::new(|| Vocabulary::of(files::ENTRIES.iter().flat_map(|(_, entries)| entries)));

/// The words that one without spaces is made of.
struct Split<'a> {
    pieces: Vec<&'a str>,
    /// The sum of their costs.
    cost: f32,
}

/// The words of the lexicon that have one reading in all languages, and common words.
#[derive(Debug, Default)]
pub(in crate::text) struct Vocabulary {
    words: HashSet<String>,
    stems: HashSet<String>,
    /// The letters of the longest stem.
    longest_stem: usize,
    phrases: HashSet<String>,
    /// Words by their first letter and their number of letters.
    by_shape: HashMap<(char, usize), Vec<String>>,
    /// The costs of a word of a split: the logarithm of its rank in each language.
    costs: HashMap<String, Costs>,
}

impl Vocabulary {
    /// The vocabulary of the lexicon in the binary, which the trainer and the server read messages with.
    pub(in crate::text) fn shared() -> &'static Self {
        &SHARED
    }

    fn of<'a>(entries: impl Iterator<Item = &'a LexiconEntry>) -> Self {
        let mut vocabulary = Self::default();
        for (language, words) in COMMON.iter().enumerate() {
            for (rank, word) in words.split_ascii_whitespace().enumerate() {
                let costs = vocabulary.costs.entry(word.to_owned()).or_insert([f32::INFINITY; LANGUAGES]);
                costs[language] = costs[language].min(cost(rank));
            }
        }
        for entry in entries.filter(|entry| !entry.own) {
            vocabulary.add(entry);
        }
        vocabulary
    }

    fn add(&mut self, entry: &LexiconEntry) {
        let term = &entry.term;
        if term.contains(' ') {
            self.phrases.insert(term.clone());
            return;
        }
        let letters = term.chars().count();
        let least = if term.starts_with(is_syllable) { MIN_STEM_SYLLABLES } else { MIN_STEM };
        if letters < least {
            return;
        }
        if entry.matches == TermMatch::Stem {
            self.longest_stem = self.longest_stem.max(letters);
            self.stems.insert(term.clone());
        }
        if self.words.insert(term.clone())
            && let Some(first) = term.chars().next()
        {
            self.by_shape.entry((first, letters)).or_default().push(term.clone());
            let costs = self.costs.entry(term.clone()).or_insert([f32::INFINITY; LANGUAGES]);
            costs.iter_mut().for_each(|known| *known = known.min(cost(LEXICON_RANK)));
        }
    }

    /// Whether a word is in the lexicon.
    pub(in crate::text) fn has_entry(&self, word: &str) -> bool {
        self.words.contains(word)
    }

    /// Whether a word is in the lexicon or a common one of any language. That it begins with a stem is not enough.
    pub(in crate::text) fn has(&self, word: &str) -> bool {
        self.costs.contains_key(word)
    }

    /// Whether a word is in the lexicon, or begins with one of its stems.
    pub(in crate::text) fn knows(&self, word: &str) -> bool {
        if self.words.contains(word) {
            return true;
        }
        let ends = word.char_indices().map(|(at, _)| at).skip(MIN_STEM);
        ends.take(self.longest_stem).any(|end| self.stems.contains(&word[..end]))
    }

    /// Whether a word is in the lexicon or a common one of any language.
    pub(in crate::text) fn is_word(&self, word: &str) -> bool {
        self.has(word) || self.knows(word)
    }

    /// The most frequent of the common words among some.
    pub(in crate::text) fn commonest<'a>(&self, words: &'a [String]) -> Option<&'a String> {
        let known = words.iter().filter_map(|word| self.costs.get(word).map(|costs| (word, least(costs).1)));
        known.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(word, _)| word)
    }

    /// The word of the lexicon that a censored one stands for, such as `f*ck`; at least two letters must be there,
    /// unless it is one of the usual ones, such as `f***`.
    pub(in crate::text) fn uncensored(&self, word: &str) -> Option<&str> {
        if let Some((_, usual)) = CENSORED.iter().find(|(censored, _)| *censored == word) {
            return Some(usual);
        }
        let first = word.chars().next().filter(|char| *char != '*')?;
        let shown = word.chars().filter(|char| *char != '*').count();
        if shown < 2 || shown == word.chars().count() {
            return None;
        }
        let alike = self.by_shape.get(&(first, word.chars().count()))?;
        alike.iter().map(String::as_str).find(|known| is_censored(word, known))
    }

    /// The words that one without spaces is made of, if they say something that the lexicon knows, or in any case if it
    /// may be `several`.
    pub(in crate::text) fn split<'a>(&self, word: &'a str, several: bool) -> Option<Vec<&'a str>> {
        let can_be_split = word.chars().all(char::is_alphabetic) && !self.costs.contains_key(word);
        if !can_be_split || !(MIN_JOINED..=MAX_JOINED).contains(&word.chars().count()) {
            return None;
        }
        let split = self.cheapest_split(word)?;
        (split.pieces.len() > 1 && (several || self.says_something(&split))).then_some(split.pieces)
    }

    /// The split into words of one language with the least sum of costs.
    fn cheapest_split<'a>(&self, word: &'a str) -> Option<Split<'a>> {
        let bounds: Vec<usize> = word.char_indices().map(|(at, _)| at).chain([word.len()]).collect();
        let mut best = vec![[(f32::INFINITY, 0); LANGUAGES]; bounds.len()];
        best[0] = [(0.0, 0); LANGUAGES];
        for end in 1..bounds.len() {
            for start in end.saturating_sub(MAX_PIECE)..end {
                let Some(costs) = self.costs.get(&word[bounds[start]..bounds[end]]) else { continue };
                for language in 0..LANGUAGES {
                    let total = best[start][language].0 + costs[language];
                    if total < best[end][language].0 {
                        best[end][language] = (total, start);
                    }
                }
            }
        }
        let mut end = bounds.len() - 1;
        let (language, cost) = least(&best[end].map(|(cost, _)| cost));
        if cost.is_infinite() {
            return None;
        }
        let mut pieces = Vec::new();
        while end > 0 {
            let (_, start) = best[end][language];
            pieces.push(&word[bounds[start]..bounds[end]]);
            end = start;
        }
        pieces.reverse();
        Some(Split { pieces, cost })
    }

    fn says_something(&self, Split { pieces, cost }: &Split<'_>) -> bool {
        let letters: usize = pieces.iter().map(|piece| piece.chars().count()).sum();
        let cost = cost / letters as f32;
        let long = pieces.len() >= MIN_PIECES && letters >= MIN_LONG && cost <= MAX_COST;
        let sentence = pieces.len() >= MIN_SENTENCE
            && letters >= pieces.len() * MIN_AVERAGE
            && cost <= MAX_SENTENCE_COST;
        let word = pieces.iter().any(|piece| piece.len() > MIN_STEM && self.words.contains(*piece));
        long && (word || sentence)
            || (2..=MAX_PHRASE)
                .any(|length| pieces.windows(length).any(|some| self.phrases.contains(&some.join(" "))))
    }
}

/// The language in which a word costs least, and its cost there.
fn least(costs: &Costs) -> (usize, f32) {
    let by_cost = costs.iter().copied().enumerate();
    by_cost.min_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((0, f32::INFINITY))
}

fn cost(rank: usize) -> f32 {
    (rank as f32 + 10.0).ln()
}

/// Whether a word with `*` in the place of letters stands for another of the same length.
fn is_censored(word: &str, known: &str) -> bool {
    word.chars().zip(known.chars()).all(|(shown, letter)| shown == '*' || shown == letter)
}

#[cfg(test)]
mod tests {
    use ports::text::LexiconKind;

    use super::*;

    fn entry(term: &str, matches: TermMatch) -> LexiconEntry {
        LexiconEntry {
            written: "",
            term: term.to_owned(),
            kind: LexiconKind::Insult,
            degree: 2,
            matches,
            own: false,
        }
    }

    fn vocabulary() -> Vocabulary {
        let entries = [
            entry("bitch", TermMatch::Word),
            entry("fuck", TermMatch::Stem),
            entry("kill yourself", TermMatch::Word),
        ];
        Vocabulary::of(entries.iter())
    }

    #[test]
    fn words_that_are_written_together_are_split_where_they_say_something() {
        let vocabulary = vocabulary();
        for (word, expected) in [
            ("ihateyouyoustupidbitch", Some("i hate you you stupid bitch")),
            ("killyourself", Some("kill yourself")),
            ("everybodyknows", None),
            ("xqzvbitchxqzv", None),
            ("bitchkill", None),
        ] {
            assert_eq!(
                vocabulary.split(word, false).map(|pieces| pieces.join(" ")).as_deref(),
                expected,
                "{word}"
            );
        }
    }

    #[test]
    fn censored_words_are_known_by_the_letters_that_are_left() {
        let vocabulary = vocabulary();
        assert_eq!(vocabulary.uncensored("b*tch"), Some("bitch"));
        assert_eq!(vocabulary.uncensored("f**k"), Some("fuck"));
        assert_eq!(vocabulary.uncensored("f***"), Some("fuck"));
        assert_eq!(vocabulary.uncensored("x***"), None);
        assert_eq!(vocabulary.uncensored("b*rch"), None);
        assert!(vocabulary.knows("fucking") && !vocabulary.knows("bitches"));
    }
}
