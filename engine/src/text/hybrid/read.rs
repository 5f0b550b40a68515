//! Prepares a message for an encoder: punctuation is kept, and links and names are left out, so that the model cannot learn
//! them as labels. For the English encoder disguises are undone; the other one reads scripts that this would change.

use std::ops::Range;

use ports::text::links::Link;

use crate::text::{
    language::Encoder,
    normalize::{Normalized, normalize},
};

/// The text that an encoder reads: for the English one the normalised words, in the message's own spelling where they differ only in
/// case and apostrophes, for the other one the message's own words; a space for each link; no mentions and no markup, nor the full
/// stops and exclamation marks at the end, so that a sentence reads the same whether something follows it or not.
pub fn encoder_text(encoder: Encoder, content: &str, links: &[Link]) -> String {
    let read = normalize(content, links);
    let words = 0..read.words.len();
    let mut out = String::with_capacity(content.len());
    let end = push_words(&mut out, encoder, content, links, &read, words, 0);
    push_gap(&mut out, content, end..content.len(), links);
    without_end_marks(out)
}

/// The same for some of the words.
pub(super) fn encoder_window(
    encoder: Encoder,
    content: &str,
    links: &[Link],
    read: &Normalized,
    words: Range<usize>,
) -> String {
    let from = read.words[words.start].from;
    let next = read.words.get(words.end).map_or(content.len(), |word| word.from);
    let mut out = String::with_capacity(next.saturating_sub(from));
    let end = push_words(&mut out, encoder, content, links, read, words, from);
    push_gap(&mut out, content, end.min(next)..next, links);
    without_end_marks(out)
}

fn without_end_marks(mut text: String) -> String {
    let mark = |char: char| char.is_whitespace() || matches!(char, '.' | '!' | '…' | '。' | '！' | '।' | '۔');
    text.truncate(text.trim_end_matches(mark).len());
    text
}

/// Appends words and what stands between them; `at` is where the first gap begins. Returns where the last word ends.
fn push_words(
    out: &mut String,
    encoder: Encoder,
    content: &str,
    links: &[Link],
    read: &Normalized,
    words: Range<usize>,
    mut at: usize,
) -> usize {
    for word in &read.words[words] {
        push_gap(out, content, at.min(word.from)..word.from, links);
        let original = &content[word.from..word.to];
        let plain = || -> String {
            original.chars().filter(|char| !"'’`".contains(*char)).flat_map(char::to_lowercase).collect()
        };
        let as_written = encoder == Encoder::Multilingual || plain() == read.word(word);
        out.push_str(if as_written { original } else { read.word(word) });
        at = word.to;
    }
    at
}

/// Appends what stands between two words: no letters or digits, which belong to links, mentions and markup, and a
/// space for each link.
fn push_gap(out: &mut String, content: &str, gap: Range<usize>, links: &[Link]) {
    for (offset, char) in content[gap.clone()].char_indices() {
        let at = gap.start + offset;
        // Links are sorted and do not overlap.
        let next = links.partition_point(|link| link.end <= at);
        match links.get(next).filter(|link| link.start <= at) {
            Some(link) if link.start == at => out.push(' '),
            Some(_) => {}
            None if char.is_alphanumeric() || "@<>_".contains(char) => {}
            None => out.push(char),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_at_the_end_are_not_read() {
        for content in ["You lose", "You lose.", "You lose!!", "You lose … "] {
            assert_eq!(encoder_text(Encoder::English, content, &[]), "You lose", "{content}");
        }
        assert_eq!(encoder_text(Encoder::English, "You lose?", &[]), "You lose?");
        let content = "You lose! See you.";
        assert_eq!(
            encoder_window(Encoder::English, content, &[], &normalize(content, &[]), 0..2),
            "You lose"
        );
    }

    #[test]
    fn other_languages_are_read_as_they_are_written() {
        let content = "@anna Vаs für ein Idiоt, http://a.example geh sterben！";
        let links = ports::text::links::find(content);
        assert_eq!(
            encoder_text(Encoder::Multilingual, content, &links).trim(),
            "Vаs für ein Idiоt,   geh sterben"
        );
    }
}
