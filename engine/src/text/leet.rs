//! Whether a sentence writes letters as digits or signs.

use ports::text::reader::Glyph;

/// Whether a sentence writes letters as digits or signs throughout, so that they are letters in every word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Leet {
    /// `0`, `1`, `3`, `4`, `5` and `7` are letters.
    pub(super) digits: bool,
    /// `@` and `$` are letters.
    pub(super) signs: bool,
}

impl Leet {
    /// At least two letters, and as many as a fifth of the words that have letters.
    pub(super) fn of(glyphs: &[Glyph]) -> Self {
        let mut words = 0;
        let mut digits = 0;
        let mut signs = 0;
        for word in glyphs.split(|glyph| glyph.emoji || glyph.char.is_whitespace()) {
            words += usize::from(word.iter().any(|glyph| glyph.char.is_alphabetic()));
            digits += count_letters(word, "013457").min(1);
            signs += count_letters(word, "@$").min(2);
        }
        Self { digits: digits >= 2 && digits * 5 >= words, signs: signs >= 2 && signs * 5 >= words }
    }
}

/// How many of some characters stand for letters in a word: those between two letters, and `$` beside one. None in a
/// word with dots or slashes, as links have.
fn count_letters(word: &[Glyph], signs: &str) -> usize {
    if word.iter().any(|glyph| matches!(glyph.char, '.' | '/' | ':' | '_')) {
        return 0;
    }
    let places = word.iter().enumerate().filter(|(_, glyph)| signs.contains(glyph.char));
    let letters = places.filter(|(at, glyph)| {
        let before = at.checked_sub(1).is_some_and(|before| is_letter(word[before], signs));
        let after = word.get(at + 1).is_some_and(|after| is_letter(*after, signs));
        match glyph.char {
            '$' => before || after,
            '@' => before || word.len() == 1,
            _ => before && after,
        }
    });
    letters.count()
}

fn is_letter(glyph: Glyph, signs: &str) -> bool {
    glyph.char.is_alphabetic() || matches!(glyph.char, '@' | '$') && signs.contains(glyph.char)
}
