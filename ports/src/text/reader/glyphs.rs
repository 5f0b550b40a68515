//! The characters of a message as they read.

use std::borrow::Cow;

use unicode_normalization::char::compose;

use super::{
    emoji::{emoji_len, is_enclosed_letter, is_in_square},
    fold::{Context, Letters, fold, is_imitation},
    invisible::{is_invisible, is_mark},
    markup::{colour_len, markdown},
    twins::{is_latin_twin, keyboard_twin},
};
use crate::text::scripts::{CYRILLIC, GREEK, LATIN, script};

/// The most letters on either side of a Latin letter that are looked at for its script.
const MAX_LETTERS: usize = 24;

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
    let message = MessageKind::of(content);
    let mut reader =
        GlyphReader { content, message, glyphs: Vec::with_capacity(content.len()), folded: String::new() };
    let signs = markdown(content);
    let mut signs = signs.iter().peekable();
    let mut word_end = 0;
    let mut word = WordKind::default();
    let mut at = 0;
    while let Some(char) = content[at..].chars().next() {
        if at >= word_end {
            let written = word_at(content, at);
            word_end = at + written.len().max(char.len_utf8());
            word = WordKind::of(&without_colours(written), message);
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

/// What a whole message is written in.
#[derive(Clone, Copy, Debug)]
struct MessageKind {
    /// Whether words whose letters all look like Latin ones are Latin.
    latin: bool,
    /// Whether letters in squares spell words, so that those which are pictographs as well are letters.
    squares: bool,
}

impl MessageKind {
    fn of(content: &str) -> Self {
        Self { latin: is_latin(content), squares: content.contains(is_in_square) }
    }
}

/// Whether a message has more letters that are only Latin than ones that are only Cyrillic or Greek, or none of these
/// and letters that no Russian or Ukrainian word has, which are there for their looks.
fn is_latin(content: &str) -> bool {
    let mut latin = 0;
    let mut other = 0;
    let mut foreign = false;
    for char in content.chars().flat_map(char::to_lowercase) {
        match script(char) {
            LATIN if keyboard_twin(char).is_none() => latin += 1,
            CYRILLIC | GREEK if !is_latin_twin(char) => other += 1,
            CYRILLIC => foreign |= matches!(char, 'ѕ' | 'ӏ' | 'ԁ' | 'ԛ' | 'ԝ'),
            _ => {}
        }
    }
    latin > other || foreign && other == 0
}

/// The characters from `at` up to the next white space, or a mark that joins words.
fn word_at(content: &str, at: usize) -> &str {
    let mut words = content[at..].split(|char: char| char.is_whitespace() || "/,;:".contains(char));
    words.next().unwrap_or_default()
}

/// What a word is written in.
#[derive(Clone, Copy, Debug, Default)]
struct WordKind {
    /// What its letters that look the same in several scripts are.
    letters: Letters,
    /// Whether its letters of other scripts imitate Latin ones.
    imitation: bool,
}

impl WordKind {
    fn of(word: &str, message: MessageKind) -> Self {
        Self { letters: letters(word, message.latin), imitation: is_imitation(word) }
    }
}

/// The script of a word's letters: Cyrillic if more of them are only Cyrillic than only Latin, Latin if it has Latin
/// ones or is in a Latin message.
fn letters(word: &str, latin_message: bool) -> Letters {
    let mut latin = [0, 0];
    let mut other = [0, 0];
    for char in word.chars().flat_map(char::to_lowercase) {
        match script(char) {
            LATIN => latin[usize::from(keyboard_twin(char).is_none())] += 1,
            CYRILLIC | GREEK => other[usize::from(!is_latin_twin(char))] += 1,
            _ => {}
        }
    }
    let [alike, only] = other;
    match latin.iter().sum::<usize>() {
        _ if alike + only == 0 => Letters::Own,
        0 if only == 0 && latin_message => Letters::Latin,
        0 => Letters::Own,
        _ if only > latin[1] || latin[1] == 0 && !latin_message => Letters::Cyrillic,
        _ => Letters::Latin,
    }
}

struct GlyphReader<'a> {
    content: &'a str,
    message: MessageKind,
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
        let before = self.content[..at].chars().next_back();
        let emoji =
            if self.message.squares && is_enclosed_letter(char) { 0 } else { emoji_len(rest, before) };
        if emoji > 0 {
            self.glyphs.push(Glyph { char, start: at, end: at + emoji, emoji: true });
            return at + emoji;
        }
        let end = at + char.len_utf8();
        if char.is_ascii_graphic() || char.is_whitespace() {
            let lower = char.to_ascii_lowercase();
            let twin = keyboard_twin(lower)
                .filter(|_| word.letters == Letters::Cyrillic && self.is_among_cyrillic(at, end));
            self.push(twin.unwrap_or(lower), at, end);
        } else if !is_invisible(char) && !is_mark(char) {
            let context = Context {
                within_latin: self.is_within_latin(at, end),
                letters: word.letters,
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

    /// Whether the letters around a Latin one, without a gap, have a Cyrillic one among them.
    fn is_among_cyrillic(&self, at: usize, end: usize) -> bool {
        let before =
            self.content[..at].chars().rev().take(MAX_LETTERS).take_while(|char| char.is_alphabetic());
        let after = self.content[end..].chars().take(MAX_LETTERS).take_while(|char| char.is_alphabetic());
        before.chain(after).any(|char| script(char) == CYRILLIC)
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
            ("§cд^2н^xF00т", "днт"),
            ("^1你^2是^xF00白^1痴", "你是白痴"),
            ("\u{3}4k\u{2}i\u{3}04,12ll\u{f}", "kill"),
            ("\u{1b}[31mkill\u{1b}[0m", "kill"),
            ("f**u**ck f~~u~~ck ||k||ys", "fuck fuck kys"),
            ("f**k **bold** a|b", "f**k **bold** a|b"),
            ("STRASSE straße", "strasse strasse"),
            ("ΚΑΚΟΣ κακός κακοσ", "κακοσ κακοσ κακοσ"),
            ("Ещё ОДНА публикация, ёлка", "еще одна публикация, елка"),
            ("иди нaхyй, cyкa", "иди нахуи, сука"),
            ("привет/hello", "привет/hello"),
            ("ѕ*се ѕаӏоре", "s*ce salope"),
            ("🆃🅷🅸🆂 🅸🆂 🅰 🆂🅿🅾🆃", "this is a spot"),
            ("blood type 🅰", "blood type |"),
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
