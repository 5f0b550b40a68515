//! Finds the words and phrases of lists in a folded text, all in one pass (Aho-Corasick).

use std::collections::BTreeSet;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use super::fold::{BEGIN, END, EmojiRow, EndDigits, Folded, Repeats};
use ports::text::scripts::is_unspaced;

/// Maximum length of a word or phrase in characters. Also bounds how many entries can end at one place of a text.
const MAX_CHARS: usize = 100;
/// Minimum number of letters of an entry; one more with `*`.
const MIN_LETTERS: usize = 2;
/// Maximum number of matches that are returned for one text.
const MAX_MATCHES: usize = 20_000;

/// Words and phrases of several lists.
#[derive(Debug, Default)]
pub(super) struct Phrases {
    automaton: Option<AhoCorasick>,
    /// The list of each pattern.
    lists: Vec<usize>,
    emoji: EmojiEntries,
}

/// Entries that are emoji and nothing else.
#[derive(Debug, Default)]
struct EmojiEntries {
    automaton: Option<AhoCorasick>,
    /// The list of each pattern.
    lists: Vec<usize>,
}

/// A word or phrase of a list, found in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) list: usize,
    /// Bytes of the original text.
    pub(super) start: usize,
    pub(super) end: usize,
}

impl Phrases {
    /// Compiles entries, each with the number of its list.
    ///
    /// # Errors
    /// The index of an entry that cannot match, and why.
    pub(super) fn compile<'a>(
        entries: impl Iterator<Item = (usize, &'a str)>,
    ) -> Result<Self, (usize, String)> {
        let mut patterns = Vec::new();
        let mut lists = Vec::new();
        let mut emoji = BTreeSet::new();
        for (index, (list, entry)) in entries.enumerate() {
            if let Some(row) = emoji_entry(entry) {
                emoji.insert((row, list));
                continue;
            }
            for pattern in patterns_of(entry).map_err(|why| (index, why))? {
                patterns.push(pattern);
                lists.push(list);
            }
        }
        let (rows, lists_of_emoji): (Vec<String>, Vec<usize>) = emoji.into_iter().unzip();
        let emoji = EmojiEntries { automaton: automaton(&rows)?, lists: lists_of_emoji };
        Ok(Self { automaton: automaton(&patterns)?, lists, emoji })
    }

    /// The approximate number of bytes in memory.
    pub(super) fn bytes(&self) -> usize {
        let automata = self.automaton.iter().chain(&self.emoji.automaton);
        automata.map(AhoCorasick::memory_usage).sum::<usize>()
            + (self.lists.len() + self.emoji.lists.len()) * size_of::<usize>()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.automaton.is_none() && self.emoji.automaton.is_none()
    }

    /// Finds entries in a text: words and phrases in the order in which they end, then emoji.
    pub(super) fn find(&self, folded: &Folded) -> Vec<Found> {
        let mut all = self.find_phrases(folded);
        all.extend(self.emoji.find(folded));
        all
    }

    fn find_phrases(&self, folded: &Folded) -> Vec<Found> {
        let Some(automaton) = &self.automaton else { return Vec::new() };
        let found = automaton.find_overlapping_iter(&folded.text).take(MAX_MATCHES);
        found
            .map(|found| {
                let (start, end) = folded.span(found.start(), found.end());
                Found { list: self.lists[found.pattern().as_usize()], start, end }
            })
            .collect()
    }
}

impl EmojiEntries {
    /// The rows of emoji that have an entry.
    fn find(&self, folded: &Folded) -> Vec<Found> {
        let Some(automaton) = &self.automaton else { return Vec::new() };
        let found = folded.emoji.iter().flat_map(|EmojiRow { text, start, end }| {
            let found = automaton.find_overlapping_iter(text);
            found.map(|found| Found {
                list: self.lists[found.pattern().as_usize()],
                start: *start,
                end: *end,
            })
        });
        found.take(MAX_MATCHES).collect()
    }
}

/// Finds all patterns in one pass; `None` if there are none.
fn automaton(patterns: &[String]) -> Result<Option<AhoCorasick>, (usize, String)> {
    if patterns.is_empty() {
        return Ok(None);
    }
    let mut builder = AhoCorasick::builder();
    builder.match_kind(MatchKind::Standard).kind(Some(AhoCorasickKind::ContiguousNFA));
    let built = builder.build(patterns);
    built.map(Some).map_err(|error| (0, format!("is too large together with the other entries: {error}")))
}

/// The emoji of an entry that has nothing else.
fn emoji_entry(entry: &str) -> Option<String> {
    let entry = entry.trim();
    let folded = Folded::new(entry, Repeats::One, EndDigits::Letters);
    match folded.emoji.as_slice() {
        [row] if row.start == 0 && row.end == entry.len() => Some(row.text.clone()),
        _ => None,
    }
}

/// The folded patterns of an entry, without the mark at an end where the word may go on.
fn patterns_of(entry: &str) -> Result<Vec<String>, String> {
    if entry.chars().count() > MAX_CHARS {
        return Err(format!("must be at most {MAX_CHARS} characters"));
    }
    let trimmed = entry.trim();
    if let Some(sign) = trimmed.chars().find(|char| "()[]{}^|\\".contains(*char) || char.is_control()) {
        return Err(format!(
            "is a word or a phrase, not a pattern: leave out {sign:?}; only * at its beginning and end stands for \
             more letters"
        ));
    }
    let (open, word) = trimmed.strip_prefix('*').map_or((false, trimmed), |rest| (true, rest));
    let (open_end, word) = word.strip_suffix('*').map_or((false, word), |rest| (true, rest));
    if word.contains('*') {
        return Err("may have * only at its beginning and its end".to_owned());
    }
    let folded = Folded::new(word, Repeats::One, EndDigits::Letters);
    let mut texts = vec![folded.text];
    if folded.repeats {
        texts.push(Folded::new(word, Repeats::Two, EndDigits::Letters).text);
    }
    let letters = texts[0].chars().filter(|char| ![BEGIN, END].contains(char)).collect::<Vec<_>>();
    let unspaced = letters.first().is_some_and(|char| is_unspaced(*char))
        || letters.last().is_some_and(|char| is_unspaced(*char));
    let least = match (unspaced, open || open_end) {
        (true, _) => 1,
        (false, false) => MIN_LETTERS,
        (false, true) => MIN_LETTERS + 1,
    };
    if letters.len() < least {
        return Err(format!("must have at least {least} letters or digits"));
    }
    let open = open || letters.first().is_some_and(|char| is_unspaced(*char));
    let open_end = open_end || letters.last().is_some_and(|char| is_unspaced(*char));
    let patterns = texts.into_iter().map(|text| {
        let text = if open { text.trim_start_matches(BEGIN) } else { &text };
        (if open_end { text.trim_end_matches(END) } else { text }).to_owned()
    });
    Ok(patterns.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found<'a>(entries: &[&str], content: &'a str) -> Vec<&'a str> {
        let phrases = Phrases::compile(entries.iter().map(|entry| (0, *entry))).unwrap();
        let all = phrases.find(&Folded::new(content, Repeats::One, EndDigits::Letters));
        all.into_iter().map(|found| &content[found.start..found.end]).collect()
    }

    #[test]
    fn finds_whole_words_in_any_disguise() {
        for (entry, content, expected) in [
            ("nitro", "free NITRO!", &["NITRO"][..]),
            ("nitro", "n1tr0 and n i t r o", &["n1tr0", "n i t r o"]),
            ("nitro", "nitrogen", &[]),
            ("nitro*", "nitrogen", &["nitro"]),
            ("*nitro", "supernitro nitros", &["nitro"]),
            ("*nitro*", "supernitros", &["nitro"]),
            ("kill you", "i will kill   you.", &["kill   you"]),
            ("kill you", "kill your darlings", &[]),
            ("杀", "我杀了你", &["杀"]),
            ("free stuff", "freeee stuff", &[]),
            ("so what", "sooooo what", &["sooooo what"]),
            ("nitro", "nitro😂 and 🎉nitro", &["nitro", "nitro"]),
            ("free nitro", "free 🎉 nitro", &["free 🎉 nitro"]),
            ("👍", "ok👍🏽", &["👍🏽"]),
            ("🍆💦", "🍆 and 💦, 🍆💦", &["🍆💦"]),
        ] {
            assert_eq!(found(&[entry], content), expected, "{entry} in {content}");
        }
        assert_eq!(found(&["you die", "kill you"], "kill you die"), ["kill you", "you die"]);
    }

    #[test]
    fn what_cannot_be_meant_is_refused() {
        for entry in
            ["", "  ", "a", "!!!", "*", "*a*", "a*b", "(a+)+$", "[abc]", "a|b", "bad\u{0}", &"x".repeat(101)]
        {
            assert!(patterns_of(entry).is_err(), "{entry}");
        }
    }

    #[test]
    fn a_message_of_listed_emoji_has_a_bounded_number_of_matches() {
        let entries = std::iter::repeat_n("👍", 10_000).chain(["🍆"]);
        let phrases = Phrases::compile(entries.map(|entry| (0, entry))).unwrap();
        let folded = Folded::new(&"👍a".repeat(5_000), Repeats::One, EndDigits::Letters);
        assert_eq!(phrases.find(&folded).len(), 5_000);
        let entries: Vec<String> = (1..=10).map(|count| "👍".repeat(count)).collect();
        let phrases = Phrases::compile(entries.iter().map(|entry| (0, entry.as_str()))).unwrap();
        let folded = Folded::new(&"👍".repeat(10_000), Repeats::One, EndDigits::Letters);
        assert_eq!(phrases.find(&folded).len(), MAX_MATCHES);
    }

    #[test]
    fn ten_thousand_entries_that_end_in_each_other_stay_small() {
        let entries: Vec<String> = (0..10_000).map(|i| format!("*{}*", "ab".repeat(2 + i % 48))).collect();
        let phrases = Phrases::compile(entries.iter().map(|entry| (0, entry.as_str()))).unwrap();
        assert!(phrases.bytes() < 8 << 20, "{}", phrases.bytes());
        let content = "ab".repeat(5_000);
        assert_eq!(phrases.find(&Folded::new(&content, Repeats::One, EndDigits::Letters)).len(), MAX_MATCHES);
    }
}
