//! Folds a text so that words match in any disguise: what [`reader`] undoes, and digits and signs in place of letters,
//! repeated and spelt-out letters. Keeps where each letter stands in the original.

use ports::text::{
    reader::{self, is_invisible, unleet},
    scripts::is_unspaced,
};

/// These mark the beginning and the end of each word in [`Folded::text`].
pub(super) const BEGIN: char = '\u{1}';
pub(super) const END: char = '\u{2}';

/// This many single letters in a row are one spelt-out word.
const MIN_SPELLED_LETTERS: usize = 3;

/// How many of three or more equal letters in a row are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Repeats {
    One,
    Two,
}

/// The fewest letters before digits at the end of a word that may be an addition to it, as in `scam1`.
const MIN_LETTERS_BEFORE_DIGITS: usize = 3;

/// What becomes of digits behind a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EndDigits {
    /// They stand for letters.
    Letters,
    /// They are a word of their own.
    Apart,
}

/// A row of emoji, without skin tones and variants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct EmojiRow {
    pub(super) text: String,
    /// The part of the original that it stands for, in bytes.
    pub(super) start: usize,
    pub(super) end: usize,
}

/// A folded text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Folded {
    /// Each word between [`BEGIN`] and [`END`].
    pub(super) text: String,
    /// One for each character of `text`.
    places: Vec<Place>,
    /// Whether three equal letters stand in a row, so that [`Repeats`] makes a difference.
    pub(super) repeats: bool,
    /// Whether a word has digits behind it, so that [`EndDigits`] makes a difference.
    pub(super) end_digits: bool,
    pub(super) emoji: Vec<EmojiRow>,
}

/// Where a folded character stands, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Place {
    /// Its offset in the folded text.
    folded: usize,
    /// The part of the original that it stands for.
    start: usize,
    end: usize,
}

#[derive(Clone, Copy)]
struct Glyph {
    char: char,
    start: usize,
    end: usize,
}

impl Glyph {
    /// The letter that it stands for in a word, where digits and signs may stand for letters (`leet`).
    fn letter(self, leet: bool) -> char {
        if leet { unleet(self.char) } else { self.char }
    }
}

/// The words of a text, folded and separated by single spaces. Reads about `bytes` bytes of it.
pub(in crate::operations::moderation) fn folded_words(content: &str, bytes: usize) -> String {
    let end = content.char_indices().map(|(at, _)| at).find(|at| *at >= bytes).unwrap_or(content.len());
    let folded = Folded::new(&content[..end], Repeats::One, EndDigits::Letters).text;
    folded.split([BEGIN, END]).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

impl Folded {
    /// Folds a text, in time linear in its length.
    pub(super) fn new(content: &str, repeats: Repeats, digits: EndDigits) -> Self {
        let glyphs = glyphs(content);
        let mut folded = Self { text: String::with_capacity(content.len() + 8), ..Self::default() };
        let mut words: Vec<&[Glyph]> = Vec::new();
        for word in glyphs.split(|glyph| glyph.char == ' ').filter(|word| !word.is_empty()) {
            let tail = end_digits(word);
            folded.end_digits |= tail > 0;
            let apart = if digits == EndDigits::Apart { tail } else { 0 };
            words.extend([&word[..word.len() - apart], &word[word.len() - apart..]]);
        }
        words.retain(|word| !word.is_empty());
        let mut spelled = Vec::new();
        let mut rest = words.as_slice();
        while !rest.is_empty() {
            let letters = rest.iter().take_while(|word| is_letter(word)).count();
            let taken = if letters >= MIN_SPELLED_LETTERS { letters } else { 1 };
            if taken > 1 {
                spelled.clear();
                spelled.extend(rest[..taken].iter().map(|word| word[0]));
                folded.push_word(&spelled, repeats);
            } else {
                folded.push_word(rest[0], repeats);
            }
            rest = &rest[taken..];
        }
        folded.emoji = emoji_rows(content);
        folded
    }

    /// The bytes of the original behind `start..end` of the folded text.
    pub(super) fn span(&self, start: usize, end: usize) -> (usize, usize) {
        let first = self.places.partition_point(|place| place.folded < start);
        let last = self.places.partition_point(|place| place.folded < end).saturating_sub(1);
        (self.place(first).start, self.place(last.max(first)).end)
    }

    fn place(&self, index: usize) -> Place {
        self.places.get(index).copied().unwrap_or_default()
    }

    fn push_word(&mut self, word: &[Glyph], repeats: Repeats) {
        let leet = word.iter().any(|glyph| glyph.char.is_alphabetic());
        let Some((first, last)) = word.first().zip(word.last()) else { return };
        self.push(BEGIN, first.start, first.start);
        let mut at = 0;
        while at < word.len() {
            let char = word[at].letter(leet);
            let run = word[at..].iter().take_while(|glyph| glyph.letter(leet) == char).count();
            let kept = match (run, repeats) {
                (0..=2, _) => run,
                (_, Repeats::One) => 1,
                (_, Repeats::Two) => 2,
            };
            self.repeats |= run > 2;
            for index in 0..kept {
                // The last letter kept stands for all that are dropped.
                let to = if index + 1 == kept { at + run - 1 } else { at + index };
                self.push(char, word[at + index].start, word[to].end);
            }
            at += run;
        }
        self.push(END, last.end, last.end);
    }

    fn push(&mut self, char: char, start: usize, end: usize) {
        self.places.push(Place { folded: self.text.len(), start, end });
        self.text.push(char);
    }
}

/// A word of one letter. Characters of scripts without spaces are words of their own anyway.
fn is_letter(word: &[Glyph]) -> bool {
    matches!(word, [one] if one.char.is_alphabetic() && !is_unspaced(one.char))
}

/// The number of digits at the end of a word of letters.
fn end_digits(word: &[Glyph]) -> usize {
    let letters = word.iter().take_while(|glyph| glyph.char.is_alphabetic()).count();
    let digits = word[letters..].iter().take_while(|glyph| glyph.char.is_ascii_digit()).count();
    if letters >= MIN_LETTERS_BEFORE_DIGITS && letters + digits == word.len() { digits } else { 0 }
}

/// Letters and digits, and a space for anything else that separates words.
fn glyphs(content: &str) -> Vec<Glyph> {
    let read = reader::glyphs(content);
    let mut glyphs = Vec::with_capacity(read.len());
    for (at, &reader::Glyph { char, start, end, emoji }) in read.iter().enumerate() {
        let char = match char {
            '\'' if !emoji => continue,
            '@' | '$' | '!' | '|' if is_sign_letter(&read, at) => char,
            _ if !emoji && char.is_alphanumeric() => char,
            _ => ' ',
        };
        glyphs.push(Glyph { char, start, end });
    }
    glyphs
}

/// Whether a sign stands for a letter: within a word, `$` also at its ends, and `@` before `ss`.
fn is_sign_letter(read: &[reader::Glyph], at: usize) -> bool {
    let before =
        at.checked_sub(1).map(|before| read[before]).filter(|glyph| !glyph.emoji).map(|glyph| glyph.char);
    let ahead = read[at + 1..].iter().map(|glyph| if glyph.emoji { ' ' } else { glyph.char });
    let next = ahead.clone().next().unwrap_or(' ');
    let follows = before.is_some_and(char::is_alphanumeric);
    match read[at].char {
        '$' => {
            let after_letters = read[..at].iter().rev().map(|glyph| glyph.char).find(|char| *char != '$');
            next.is_alphabetic() || follows || after_letters.is_some_and(char::is_alphabetic) || next == '$'
        }
        '@' if !follows => ahead.take(2).filter(|char| matches!(char, 's' | '$' | '5')).count() == 2,
        _ => follows && next.is_alphanumeric(),
    }
}

/// The rows of emoji in a text, each with nothing between its emoji.
fn emoji_rows(content: &str) -> Vec<EmojiRow> {
    let mut rows: Vec<EmojiRow> = Vec::new();
    for reader::Glyph { start, end, .. } in reader::glyphs(content).into_iter().filter(|glyph| glyph.emoji) {
        let shown = content[start..end].chars().filter(|char| !is_invisible(*char) && !is_skin_tone(*char));
        match rows.last_mut().filter(|row| row.end == start) {
            Some(row) => {
                row.text.extend(shown);
                row.end = end;
            }
            None => rows.push(EmojiRow { text: shown.collect(), start, end }),
        }
    }
    rows
}

fn is_skin_tone(char: char) -> bool {
    matches!(char, '\u{1f3fb}'..='\u{1f3ff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(content: &str, repeats: Repeats) -> String {
        let folded = Folded::new(content, repeats, EndDigits::Letters);
        folded.text.replace(BEGIN, "").replace(END, " ").trim_end().to_owned()
    }

    #[test]
    fn folds_disguises() {
        for (content, expected) in [
            ("Hello, World", "hello world"),
            ("f r e e  n i t r o", "freenitro"),
            ("f.r.e.e stuff", "free stuff"),
            ("ｆｒｅｅ", "free"),
            ("fr\u{200b}ee n1tr0", "free nitro"),
            ("nіtrо", "nitro"),
            ("k1ll y0ur$elf @bob", "kill yourself bob"),
            ("don't won’t", "dont wont"),
            ("1488 2nd", "1488 2nd"),
            ("sooooo", "so"),
            ("杀了你", "杀了你"),
            ("nitro😂 😂nitro", "nitro nitro"),
            ("a$$ @$$h0le ｆ**ｕ**ck", "ass asshole fuck"),
            ("STRASSE straße", "strasse strasse"),
            ("", ""),
        ] {
            assert_eq!(words(content, Repeats::One), expected, "{content}");
        }
        assert_eq!(words("sooooo freeee", Repeats::Two), "soo free");
    }

    #[test]
    fn knows_where_a_letter_stands() {
        let content = "ah, nіtrooo!";
        let folded = Folded::new(content, Repeats::One, EndDigits::Letters);
        let at = folded.text.find("nitro").unwrap();
        let (start, end) = folded.span(at, at + 5);
        assert_eq!(&content[start..end], "nіtrooo");
    }

    proptest::proptest! {
        #[test]
        fn spans_are_valid_whatever_the_text(content in ".{0,100}") {
            let folded = Folded::new(&content, Repeats::One, EndDigits::Letters);
            for (offset, char) in folded.text.char_indices() {
                let (start, end) = folded.span(offset, offset + char.len_utf8());
                proptest::prop_assert!(content.get(start..end).is_some(), "{start}..{end}");
            }
        }
    }
}
