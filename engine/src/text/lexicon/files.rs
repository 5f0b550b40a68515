//! The files of the lexicon in the binary.

use std::sync::LazyLock;

use ports::text::LEXICON_LANGUAGES;

use super::entry::{LexiconEntry, LexiconError, parse};

/// The file of each language, in the order of [`LEXICON_LANGUAGES`].
const FILES: [&str; LEXICON_LANGUAGES.len()] = [
    include_str!("../../../lexicon/en.tsv"),
    include_str!("../../../lexicon/de.tsv"),
    include_str!("../../../lexicon/fr.tsv"),
    include_str!("../../../lexicon/es.tsv"),
    include_str!("../../../lexicon/it.tsv"),
    include_str!("../../../lexicon/pt.tsv"),
    include_str!("../../../lexicon/nl.tsv"),
    include_str!("../../../lexicon/pl.tsv"),
    include_str!("../../../lexicon/ru.tsv"),
    include_str!("../../../lexicon/ru-Latn.tsv"),
    include_str!("../../../lexicon/tr.tsv"),
    include_str!("../../../lexicon/ar.tsv"),
    include_str!("../../../lexicon/ar-Latn.tsv"),
    include_str!("../../../lexicon/hi.tsv"),
    include_str!("../../../lexicon/hi-Latn.tsv"),
    include_str!("../../../lexicon/id.tsv"),
    include_str!("../../../lexicon/zh.tsv"),
    include_str!("../../../lexicon/ja.tsv"),
    include_str!("../../../lexicon/ja-Latn.tsv"),
    include_str!("../../../lexicon/ko.tsv"),
    include_str!("../../../lexicon/ko-Latn.tsv"),
];

/// The languages with their files.
fn files() -> impl Iterator<Item = (&'static str, &'static str)> {
    LEXICON_LANGUAGES.into_iter().zip(FILES)
}

/// The entries by language. Those of a file with a wrong line are missing, which a test rules out.
pub(super) static ENTRIES: LazyLock<Vec<(&'static str, Vec<LexiconEntry>)>> = LazyLock::new(|| {
    files().map(|(language, file)| (language, parse(language, file).unwrap_or_default())).collect()
});

/// The single words of a language that count in every message.
pub fn words_of(language: &str) -> impl Iterator<Item = &'static str> {
    let entries = ENTRIES.iter().filter(move |(of, _)| *of == language).flat_map(|(_, entries)| entries);
    entries.filter(|entry| !entry.own && !entry.term.contains(' ')).map(|entry| entry.term.as_str())
}

/// Parses every file.
///
/// # Errors
/// The first line that is wrong.
pub fn check() -> Result<(), LexiconError> {
    files().try_for_each(|(language, file)| parse(language, file).map(drop))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_right() {
        check().expect("files");
        for (language, entries) in ENTRIES.iter() {
            assert!(entries.len() > 300, "{language}");
        }
    }
}
