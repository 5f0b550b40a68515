//! An entry of the lexicon, and how it is parsed.

use ports::text::{
    LexiconKind,
    reader::{self, Glyph},
};

use crate::text::word_forms::push_plain;

/// The columns of a file of the lexicon.
const COLUMNS: &str = "term\tkind\tdegree\tmatch\town\tsource";

/// A word or phrase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LexiconEntry {
    /// As it is in the file.
    pub written: &'static str,
    /// Its words as [`normalize`](crate::text::normalize::normalize) returns words that are in no disguise.
    pub term: String,
    pub kind: LexiconKind,
    /// 1 (swearing) to 5 (a credible threat).
    pub degree: u8,
    pub matches: TermMatch,
    /// Whether it counts only in messages in its own language, since it is harmless in another.
    pub own: bool,
}

/// Where a term is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::EnumString)]
#[strum(serialize_all = "snake_case")]
pub enum TermMatch {
    /// As whole words.
    Word,
    /// As whole words at the beginning of a message, where no subject makes it something else.
    Start,
    /// At the beginning of a word.
    Stem,
    /// Anywhere.
    Part,
}

/// A line of a lexicon file that is wrong.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line} of the lexicon of {language}: {fault}")]
pub struct LexiconError {
    pub language: String,
    pub line: usize,
    fault: EntryFault,
}

/// What is wrong with a line.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
enum EntryFault {
    #[error("the columns must be {COLUMNS:?}")]
    Columns,
    #[error("kind must be profanity, insult, slur, sexual, incitement, threat or crisis")]
    Kind,
    #[error("degree must be 1 to 5")]
    Degree,
    #[error("match must be word, start, stem or part")]
    Match,
    #[error("own must be 0 or 1")]
    Own,
    #[error("the term has no letters")]
    Empty,
}

/// Parses a file: a line of column names, then a line an entry. Lines that begin with `#` are comments.
///
/// # Errors
/// The first line that is wrong.
pub(super) fn parse(language: &str, file: &'static str) -> Result<Vec<LexiconEntry>, LexiconError> {
    let mut lines = file.lines().enumerate().filter(|(_, line)| !line.starts_with('#') && !line.is_empty());
    let mut entries = Vec::new();
    if lines.next().is_none_or(|(_, first)| first != COLUMNS) {
        return Err(LexiconError { language: language.to_owned(), line: 1, fault: EntryFault::Columns });
    }
    for (at, line) in lines {
        match entry(line) {
            Ok(entry) => entries.push(entry),
            Err(fault) => return Err(LexiconError { language: language.to_owned(), line: at + 1, fault }),
        }
    }
    Ok(entries)
}

fn entry(line: &'static str) -> Result<LexiconEntry, EntryFault> {
    let columns: Vec<&'static str> = line.split('\t').collect();
    let [written, kind, degree, matches, own, _source] = columns[..] else { return Err(EntryFault::Columns) };
    let term = normalized_term(written);
    if term.is_empty() {
        return Err(EntryFault::Empty);
    }
    Ok(LexiconEntry {
        written,
        term,
        kind: kind.parse().map_err(|_| EntryFault::Kind)?,
        degree: degree.parse().ok().filter(|degree| (1..=5).contains(degree)).ok_or(EntryFault::Degree)?,
        matches: matches.parse().map_err(|_| EntryFault::Match)?,
        own: match own {
            "0" => false,
            "1" => true,
            _ => return Err(EntryFault::Own),
        },
    })
}

/// The words of a term as a message's words are read, but for digits, which stay as they are: `3ars`.
fn normalized_term(term: &str) -> String {
    let glyphs = reader::glyphs(term);
    let words = glyphs.split(|glyph| !is_of_word(glyph)).filter(|word| !word.is_empty());
    let mut out = String::with_capacity(term.len());
    for word in words {
        let letters: String = word.iter().map(|glyph| glyph.char).filter(|char| *char != '\'').collect();
        if !out.is_empty() {
            out.push(' ');
        }
        if letters.bytes().any(|byte| byte.is_ascii_digit()) {
            out.push_str(&letters);
        } else {
            push_plain(&mut out, &letters, false);
        }
    }
    out
}

fn is_of_word(glyph: &Glyph) -> bool {
    !glyph.emoji && (glyph.char.is_alphanumeric() || glyph.char == '\'')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_parsed_and_what_is_wrong_is_named() {
        let good = "# a comment\nterm\tkind\tdegree\tmatch\town\tsource\nFick dich!\tinsult\t2\tword\t0\town\n\
                    3ars\tinsult\t2\tstem\t1\town\n";
        let entries = parse("de", good).expect("entries");
        assert_eq!(entries[0].term, "fick dich");
        assert_eq!(entries[1].term, "3ars");
        assert!(entries[1].own);
        for (wrong, says) in [
            ("", "line 1"),
            ("term\tkind\n", "columns"),
            (
                "term\tkind\tdegree\tmatch\town\tsource\nx\tcurse\t1\tword\t0\town",
                "line 2 of the lexicon of de: kind",
            ),
            ("term\tkind\tdegree\tmatch\town\tsource\nx\tinsult\t6\tword\t0\town", "degree must be 1 to 5"),
            ("term\tkind\tdegree\tmatch\town\tsource\nx\tinsult\t1\tall\t0\town", "match"),
            ("term\tkind\tdegree\tmatch\town\tsource\nx\tinsult\t1\tword\tno\town", "own"),
            ("term\tkind\tdegree\tmatch\town\tsource\n...\tinsult\t1\tword\t0\town", "letters"),
        ] {
            let error = parse("de", wrong).expect_err(wrong).to_string();
            assert!(error.contains(says), "{error}");
        }
    }
}
