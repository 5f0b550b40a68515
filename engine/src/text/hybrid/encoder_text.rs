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
            let gap = at.min(word.from)..word.from;
            push_gap(out, self.content, gap.clone(), self.links);
            if self.encoder == TextEncoder::English && self.read.word(word).starts_with(is_emoji) {
                // Its vocabulary has no emoji: it is a part of the gap.
                at = at.max(word.from);
                continue;
            }
            let parted = out.ends_with(char::is_alphanumeric) && self.content[gap].contains(is_emoji);
            if word.from < at || parted {
                // Written together with the word before, or with an emoji in place of a space.
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
            TextEncoder::English if plain(original) == normalized => out.push_str(original),
            // It tells letters by case, and has seen few words in capitals.
            TextEncoder::Multilingual if is_as_written(original, normalized) && is_loud(original) => {
                out.push_str(&original.to_lowercase());
            }
            TextEncoder::Multilingual if is_as_written(original, normalized) => out.push_str(original),
            TextEncoder::English | TextEncoder::Multilingual => out.push_str(normalized),
        }
    }
}

/// A word in lower case and without apostrophes.
fn plain(word: &str) -> String {
    word.chars().filter(|char| !"'’`".contains(*char)).flat_map(char::to_lowercase).collect()
}

/// Whether a word is written without disguise: in letters of one script, which it also reads as, as many as it reads
/// as.
fn is_as_written(original: &str, normalized: &str) -> bool {
    let letters = original.chars().filter(|char| !"'’`".contains(*char));
    let mut scripts = letters.clone().map(|char| if char.is_alphabetic() { script(char) } else { 0 });
    let first = scripts.next().unwrap_or(0);
    let meant = normalized.chars().find(|char| char.is_alphabetic()).map_or(0, script);
    let read = glyphs(original).iter().filter(|glyph| glyph.char.is_alphanumeric()).count();
    first != 0
        && first == meant
        && scripts.all(|script| script == first)
        && read == normalized.chars().count()
}

/// Whether a word has capitals behind its first character.
fn is_loud(word: &str) -> bool {
    word.chars().skip(1).any(char::is_uppercase)
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
            None if is_emoji(char) || is_invisible(char) || is_part_of_sign(char) => {}
            None => out.push(char),
        }
    }
}

/// What stands on another character, and is none without it: a key, a skin tone, a stroke or an enclosing mark.
fn is_part_of_sign(char: char) -> bool {
    matches!(char, '\u{300}'..='\u{36f}' | '\u{483}'..='\u{489}' | '\u{20d0}'..='\u{20f0}' | '\u{1f3fb}'..='\u{1f3ff}')
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
    fn no_part_of_an_emoji_or_of_a_mark_is_left_beside_a_word() {
        for content in [
            "you are pigs",
            "you😂 are🎉 pigs",
            "you💀😭are💀😭pigs",
            "you1\u{fe0f}\u{20e3} are1\u{fe0f}\u{20e3} pigs1\u{fe0f}\u{20e3}",
            "you👍🏽 are👍🏽 pigs👍🏽",
            "you🇺🇸are👨\u{200d}👩\u{200d}👧pigs",
            "you\u{336}\u{489}\u{20dd} are\u{336}\u{489}\u{20dd} pigs\u{336}\u{489}\u{20dd}",
        ] {
            for encoder in [TextEncoder::English, TextEncoder::Multilingual] {
                let links = ports::text::links::find(content);
                assert_eq!(encoder_text(encoder, content, &links).trim(), "you are pigs", "{content}");
            }
        }
    }

    #[test]
    fn other_languages_are_read_as_they_are_written_but_for_disguises() {
        for (content, expected) in [
            ("@anna Was für ein Idiоt, http://a.example geh sterben！", "Was für ein idiot,   geh sterben"),
            ("Scheiße, du Dr€cksack", "Scheiße, du Dr€cksack"),
            ("du 4rschl0ch😂 **Trottel**", "du arschloch trottel"),
            ("иди нахyй, д у р а к", "иди нахуи, дурак"),
            ("KNALLT sIe Alle AUF", "knallt sie Alle auf"),
            ("ком dan, ik slа je карот", "kom dan, ik sla je kapot"),
            ("ko\u{301}m\u{301} dan, ik sla je kapot", "kom dan, ik sla je kapot"),
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
