//! The characters of a message as they read.

use std::borrow::Cow;

use unicode_normalization::char::compose;

use super::{
    emoji::emoji_len,
    fold::{Context, fold, is_imitation},
    invisible::{is_invisible, is_mark},
    markup::{colour_len, markdown},
    twins::{cyrillic_twin, is_latin_twin},
};
use crate::text::scripts::{CYRILLIC, LATIN, script};

/// A character as it reads: a letter, digit or sign in lower case, white space, or an emoji as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Glyph {
    /// The first pictograph of an emoji.
    pub char: char,
    /// What it stands for in the message, in bytes. Several glyphs may stand for one character, as those of `æ`.
    pub start: usize,
    pub end: usize,
    pub emoji: bool,
}

/// The characters of a message as they read, in time linear in its length.
pub fn glyphs(content: &str) -> Vec<Glyph> {
    let mut reader =
        GlyphReader { content, glyphs: Vec::with_capacity(content.len()), folded: String::new() };
    let signs = markdown(content);
    let latin_message = is_latin(content);
    let mut signs = signs.iter().peekable();
    let mut word_end = 0;
    let mut word = WordKind::default();
    let mut at = 0;
    while let Some(char) = content[at..].chars().next() {
        if at >= word_end {
            let written = word_at(content, at);
            word_end = at + written.len().max(char.len_utf8());
            word = WordKind::of(&without_colours(written), latin_message);
        }
        if let Some(sign) = signs.next_if(|sign| sign.start <= at) {
            at = at.max(sign.end);
            continue;
        }
        at = reader.read(at, char, word);
    }
    reader.glyphs
}

/// A word without the codes that colour it.
fn without_colours(word: &str) -> Cow<'_, str> {
    if !word.contains(['§', '^', '\u{3}', '\u{4}', '\u{1b}']) {
        return Cow::Borrowed(word);
    }
    let mut letters = String::with_capacity(word.len());
    let mut at = 0;
    while let Some(char) = word[at..].chars().next() {
        let coloured = colour_len(&word[at..]);
        if coloured == 0 {
            letters.push(char);
        }
        at += coloured.max(char.len_utf8());
    }
    Cow::Owned(letters)
}

/// Whether a message has more letters that are only Latin than ones that are only Cyrillic.
fn is_latin(content: &str) -> bool {
    let mut latin = 0;
    let mut cyrillic = 0;
    for char in content.chars().flat_map(char::to_lowercase) {
        match script(char) {
            LATIN if cyrillic_twin(char).is_none() => latin += 1,
            CYRILLIC if !is_latin_twin(char) => cyrillic += 1,
            _ => {}
        }
    }
    latin > cyrillic
}

/// Whether all letters of a word are Cyrillic ones that look like Latin ones.
fn are_twins(word: &str) -> bool {
    let mut letters =
        word.chars().filter(|char| char.is_alphabetic()).flat_map(char::to_lowercase).peekable();
    letters.peek().is_some() && letters.all(|char| script(char) == CYRILLIC && is_latin_twin(char))
}

/// The characters from `at` up to the next white space.
fn word_at(content: &str, at: usize) -> &str {
    content[at..].split(char::is_whitespace).next().unwrap_or_default()
}

/// What a word between white space is written in.
#[derive(Clone, Copy, Debug, Default)]
struct WordKind {
    /// Whether it has Latin letters.
    latin: bool,
    /// Whether its letters of other scripts imitate Latin ones.
    imitation: bool,
}

impl WordKind {
    fn of(word: &str, latin_message: bool) -> Self {
        Self {
            latin: word.bytes().any(|byte| byte.is_ascii_alphabetic()) || latin_message && are_twins(word),
            imitation: is_imitation(word),
        }
    }
}

struct GlyphReader<'a> {
    content: &'a str,
    glyphs: Vec<Glyph>,
    folded: String,
}

impl GlyphReader<'_> {
    /// Reads the character at `at`, and returns where the next one begins.
    fn read(&mut self, at: usize, char: char, word: WordKind) -> usize {
        let rest = &self.content[at..];
        let coloured = colour_len(rest);
        if coloured > 0 {
            return at + coloured;
        }
        let emoji = emoji_len(rest, self.content[..at].chars().next_back());
        if emoji > 0 {
            self.glyphs.push(Glyph { char, start: at, end: at + emoji, emoji: true });
            return at + emoji;
        }
        let end = at + char.len_utf8();
        if char.is_ascii_graphic() || char.is_whitespace() {
            self.push(char.to_ascii_lowercase(), at, end);
        } else if !is_invisible(char) && !is_mark(char) {
            let context = Context {
                within_latin: self.is_within_latin(at, end),
                latin_word: word.latin,
                imitation: word.imitation,
            };
            let mut folded = std::mem::take(&mut self.folded);
            folded.clear();
            fold(char, context, &mut folded);
            folded.chars().for_each(|part| self.push(part, at, end));
            self.folded = folded;
        }
        end
    }

    fn is_within_latin(&self, at: usize, end: usize) -> bool {
        let before =
            self.glyphs.last().is_some_and(|glyph| glyph.end == at && glyph.char.is_ascii_alphanumeric());
        before && self.content[end..].starts_with(|char: char| char.is_ascii_alphanumeric())
    }

    /// Adds a character, or joins a part of a letter to the parts before it: Korean jamo and Japanese sound marks.
    fn push(&mut self, char: char, start: usize, end: usize) {
        let is_part =
            matches!(char, '\u{1161}'..='\u{1175}' | '\u{11a8}'..='\u{11c2}' | '\u{3099}' | '\u{309a}');
        if is_part
            && let Some(last) = self.glyphs.last_mut()
            && let Some(joined) = compose(last.char, char)
        {
            last.char = joined;
            last.end = end;
            return;
        }
        self.glyphs.push(Glyph { char, start, end, emoji: false });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(content: &str) -> String {
        glyphs(content).iter().map(|glyph| if glyph.emoji { '|' } else { glyph.char }).collect()
    }

    #[test]
    fn an_emoji_is_never_a_letter() {
        for emoji in [
            "\u{1f602}",
            "\u{1f389}",
            "\u{2764}\u{fe0f}",
            "\u{2764}",
            "\u{1f44d}\u{1f3fd}",
            "\u{1f1fa}\u{1f1f8}",
            "1\u{fe0f}\u{20e3}",
            "#\u{20e3}",
            "\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}",
            "\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
            "\u{1f3f4}\u{200d}\u{2620}\u{fe0f}",
            "\u{263a}",
            "\u{2122}",
            "\u{a9}",
            "\u{1f171}",
            "\u{1fae8}",
            "\u{1fadf}",
            "\u{1f1fa}",
            "\u{1f3fb}",
        ] {
            assert_eq!(read(&format!("kys{emoji}")), "kys|", "{emoji}");
            assert_eq!(read(&format!("{emoji}kys")), "|kys", "{emoji}");
        }
    }

    #[test]
    fn disguises_are_undone() {
        for (content, expected) in [
            ("KYS", "kys"),
            ("ｆｒｅｅ", "free"),
            ("𝐟𝐫𝐞𝐞 ⓕⓡⓔⓔ 🅵🆁🅴🅴", "free free free"),
            ("уоu аrе а вітсн, f", "you are a bitch, f"),
            ("fr\u{200b}ee", "free"),
            ("f\u{301}u\u{336}c\u{489}k", "fuck"),
            ("§4k§6i§2l§1l", "kill"),
            ("^1k^2ill ^xF00now", "kill now"),
            ("^1i^2d^xF00i^1o^2t", "idiot"),
            ("§cд^2н^xF00т", "aht"),
            ("^1你^2是^xF00白^1痴", "你是白痴"),
            ("\u{3}4k\u{2}i\u{3}04,12ll\u{f}", "kill"),
            ("\u{1b}[31mkill\u{1b}[0m", "kill"),
            ("f**u**ck f~~u~~ck ||k||ys", "fuck fuck kys"),
            ("f**k **bold** a|b", "f**k **bold** a|b"),
            ("STRASSE straße", "strasse strasse"),
            ("ΚΑΚΟΣ κακος κακοσ", "kakoo kakoo kakoo"),
            ("ni🅱🅱er", "nibber"),
            ("🇰🇾🇸 🇰 🇾 🇸", "kys k y s"),
            ("kys🇺🇸 x^2 2^10", "kys| x^2 2^10"),
            ("シネ しね ｼﾈ", "しね しね しね"),
            ("ﾀﾞﾒ だめ", "だめ だめ"),
            ("\u{1109}\u{1175}\u{1107}\u{1161}\u{11af}", "시발"),
            ("كَلْب كـلـب أحمق", "كلب كلب احمق"),
            ("你好吗 乃口", "你好吗 乃口"),
            ("千ㄩ匚Ҝ", "fuck"),
            ("मादरचोद", "मादरचोद"),
            ("don’t fu¢k 5¢", "don't fuck 5¢"),
        ] {
            assert_eq!(read(content), expected, "{content}");
        }
    }

    proptest::proptest! {
        #[test]
        fn spans_are_in_order_and_between_characters(
            content in ".{0,60}|[§^*_~|\u{3}\u{1b}0-9a-z🇺🇸👍\u{200d}\u{1f3fd} ]{0,60}",
        ) {
            let mut last = 0;
            for glyph in glyphs(&content) {
                proptest::prop_assert!(content.get(glyph.start..glyph.end).is_some_and(|text| !text.is_empty()));
                proptest::prop_assert!(glyph.start >= last);
                last = glyph.start;
            }
        }
    }
}
