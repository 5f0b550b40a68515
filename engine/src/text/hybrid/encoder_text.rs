//! Prepares a message for an encoder: punctuation is kept, and links and names are left out, so that the model cannot
//! learn them as labels. Disguises are undone.

use std::ops::Range;

use ports::text::{
    links::Link,
    reader::{glyphs, is_emoji, is_invisible},
    scripts::script,
};

use crate::text::{
    language::TextEncoder,
    normalize::normalize,
    words::{Normalized, Word},
};

/// The text that an encoder reads: the message's own spelling of each word that is not disguised, and what the others
/// stand for. Each link becomes a space; mentions, markup and emoji that say nothing by themselves are left out. So are
/// the full stops and exclamation marks at the end, so that a sentence reads the same whether something follows it or
/// not.
pub fn encoder_text(encoder: TextEncoder, content: &str, links: &[Link]) -> String {
    let read = normalize(content, links);
    let message = EncoderMessage { encoder, content, links, read: &read };
    let mut out = String::with_capacity(content.len());
    let end = message.push_words(&mut out, &read.words, 0);
    push_gap(&mut out, content, end..content.len(), links);
    without_end_marks(out)
}

/// A message that is prepared for an encoder.
pub(super) struct EncoderMessage<'a> {
    pub(super) encoder: TextEncoder,
    pub(super) content: &'a str,
    pub(super) links: &'a [Link],
    pub(super) read: &'a Normalized,
}

impl EncoderMessage<'_> {
    /// Like [`encoder_text`], for some of the words.
    pub(super) fn window(&self, words: Range<usize>) -> String {
        let from = self.read.words[words.start].from;
        let next = self.read.words.get(words.end).map_or(self.content.len(), |word| word.from);
        let mut out = String::with_capacity(next.saturating_sub(from));
        let end = self.push_words(&mut out, &self.read.words[words], from);
        push_gap(&mut out, self.content, end.min(next)..next, self.links);
        without_end_marks(out)
    }

    /// Appends words and the text between them; `at` is where the first gap begins. Returns where the last word ends.
    fn push_words(&self, out: &mut String, words: &[Word], mut at: usize) -> usize {
        for word in words {
            push_gap(out, self.content, at.min(word.from)..word.from, self.links);
            if word.from < at {
                // Written together with the word before.
                out.push(' ');
            }
            self.push_word(out, word);
            at = word.to;
        }
        at
    }

    fn push_word(&self, out: &mut String, word: &Word) {
        let original = &self.content[word.from..word.to];
        let normalized = self.read.word(word);
        match self.encoder {
            // Its vocabulary has no emoji.
            TextEncoder::English if normalized.starts_with(is_emoji) => {}
            TextEncoder::English if plain(original) == normalized => out.push_str(original),
            TextEncoder::Multilingual if is_as_written(original, normalized) => out.push_str(original),
            TextEncoder::English | TextEncoder::Multilingual => out.push_str(normalized),
        }
    }
}

/// A word in lower case and without apostrophes.
fn plain(word: &str) -> String {
    word.chars().filter(|char| !"'’`".contains(*char)).flat_map(char::to_lowercase).collect()
}

/// Whether a word is written without disguise: in letters of one script, as many as it reads as.
fn is_as_written(original: &str, normalized: &str) -> bool {
    let letters = original.chars().filter(|char| !"'’`".contains(*char));
    let mut scripts = letters.clone().map(|char| if char.is_alphabetic() { script(char) } else { 0 });
    let first = scripts.next().unwrap_or(0);
    let read = glyphs(original).iter().filter(|glyph| glyph.char.is_alphanumeric()).count();
    first != 0 && scripts.all(|script| script == first) && read == normalized.chars().count()
}

fn without_end_marks(mut text: String) -> String {
    let end = text.trim_end_matches(is_end_mark).len();
    text.truncate(end);
    text
}

fn is_end_mark(char: char) -> bool {
    char.is_whitespace() || matches!(char, '.' | '!' | '…' | '。' | '！' | '।' | '۔')
}

/// Appends the text between two words, with a space for each link and without letters and digits, which belong to
/// links, mentions and markup.
fn push_gap(out: &mut String, content: &str, gap: Range<usize>, links: &[Link]) {
    for (offset, char) in content[gap.clone()].char_indices() {
        let at = gap.start + offset;
        // Links are sorted and do not overlap.
        let next = links.partition_point(|link| link.end <= at);
        match links.get(next).filter(|link| link.start <= at) {
            Some(link) if link.start == at => out.push(' '),
            Some(_) => {}
            None if char.is_alphanumeric() || "@<>_*~|^§`".contains(char) => {}
            None if is_emoji(char) || is_invisible(char) => {}
            None => out.push(char),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_at_the_end_are_left_out() {
        for content in ["You lose", "You lose.", "You lose!!", "You lose … "] {
            assert_eq!(encoder_text(TextEncoder::English, content, &[]), "You lose", "{content}");
        }
        assert_eq!(encoder_text(TextEncoder::English, "You lose?", &[]), "You lose?");
        let content = "You lose! See you.";
        let read = &normalize(content, &[]);
        let message = EncoderMessage { encoder: TextEncoder::English, content, links: &[], read };
        assert_eq!(message.window(0..2), "You lose");
    }

    #[test]
    fn other_languages_are_read_as_they_are_written_but_for_disguises() {
        for (content, expected) in [
            ("@anna Was für ein Idiоt, http://a.example geh sterben！", "Was für ein idiot,   geh sterben"),
            ("Scheiße, du Dr€cksack", "Scheiße, du Dr€cksack"),
            ("du 4rschl0ch😂 **Trottel**", "du arschloch trottel"),
            ("иди нахyй, д у р а к", "иди нахуи, дурак"),
            ("你是白痴😂", "你是白痴"),
        ] {
            let links = ports::text::links::find(content);
            assert_eq!(
                encoder_text(TextEncoder::Multilingual, content, &links).trim(),
                expected,
                "{content}"
            );
        }
    }
}
