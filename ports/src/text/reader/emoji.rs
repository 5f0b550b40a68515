//! Tells emoji from letters, in sequences as Unicode defines them: keycaps, flags, skin tones, joined emoji, tags
//! ([UTS #51](https://www.unicode.org/reports/tr51/)).

use icu_properties::{CodePointSetData, CodePointSetDataBorrowed, props::ExtendedPictographic};

use super::invisible::is_invisible;

const PICTOGRAPHS: CodePointSetDataBorrowed<'static> = CodePointSetData::new::<ExtendedPictographic>();
const JOINER: char = '\u{200d}';
const KEYCAP: char = '\u{20e3}';

/// Whether a character is a pictograph, of this or a later version of Unicode, or a part of a flag.
pub fn is_emoji(char: char) -> bool {
    char >= '\u{a9}' && (is_flag_letter(char) || PICTOGRAPHS.contains(char))
}

/// The length in bytes of the emoji that `text` begins with, or 0. `before` is the character before it.
pub(super) fn emoji_len(text: &str, before: Option<char>) -> usize {
    let Some(first) = text.chars().next() else { return 0 };
    match first {
        '0'..='9' | '#' | '*' => keycap_len(text),
        _ if first < '\u{a9}' => 0,
        _ if is_flag_letter(first) => flags_len(text, before),
        _ if is_enclosed_letter(first) && is_spelled(text, first, before) => 0,
        _ if PICTOGRAPHS.contains(first) || is_skin_tone(first) => pictograph_len(text),
        _ => 0,
    }
}

/// The length of a digit or sign on a key, or 0.
fn keycap_len(text: &str) -> usize {
    let rest = &text[1..];
    let key = rest.trim_start_matches('\u{fe0f}');
    if key.starts_with(KEYCAP) { 1 + (rest.len() - key.len()) + KEYCAP.len_utf8() } else { 0 }
}

/// The length of a pictograph with its skin tone, and of those joined to it.
fn pictograph_len(text: &str) -> usize {
    let mut end = 0;
    let mut joined = true;
    for (at, char) in text.char_indices() {
        match char {
            JOINER => joined = true,
            KEYCAP => {}
            _ if is_skin_tone(char) => {}
            _ if is_invisible(char) => {}
            _ if joined && PICTOGRAPHS.contains(char) => joined = false,
            _ => break,
        }
        end = at + char.len_utf8();
    }
    end
}

/// The length of a row of flag letters, or 0 for letters that spell a word: those beside no other letter, of an odd
/// number, which cannot all be flags.
fn flags_len(text: &str, before: Option<char>) -> usize {
    // The rest of a row that spells a word.
    if before.is_some_and(is_flag_letter) {
        return 0;
    }
    let row = text.trim_start_matches(|char| is_flag_letter(char) || is_invisible(char));
    let letters = text[..text.len() - row.len()].chars().filter(|char| is_flag_letter(*char)).count();
    let alone = !before.is_some_and(char::is_alphanumeric) && !row.starts_with(char::is_alphanumeric);
    if alone && letters % 2 == 1 { 0 } else { text.len() - row.len() }
}

fn is_flag_letter(char: char) -> bool {
    matches!(char, '\u{1f1e6}'..='\u{1f1ff}')
}

fn is_skin_tone(char: char) -> bool {
    matches!(char, '\u{1f3fb}'..='\u{1f3ff}')
}

/// Pictographs that show a letter, which people use in its place within words.
pub(super) fn is_enclosed_letter(char: char) -> bool {
    matches!(char, 'ℹ' | 'Ⓜ' | '🅰' | '🅱' | '🅾' | '🅿')
}

/// Whether a pictograph of a letter is read as the letter: between two letters, or beside another such letter.
fn is_spelled(text: &str, first: char, before: Option<char>) -> bool {
    let after = text[first.len_utf8()..].chars().find(|char| !is_invisible(*char));
    let mut beside = before.into_iter().chain(after);
    let alike = beside.clone().any(|char| is_in_square(char) || is_enclosed_letter(char));
    alike || beside.clone().count() == 2 && beside.all(char::is_alphabetic)
}

/// Letters in squares, some of which are pictographs as well.
fn is_squared(char: char) -> bool {
    matches!(char, '\u{1f130}'..='\u{1f149}' | '\u{1f150}'..='\u{1f169}' | '\u{1f170}'..='\u{1f189}')
}

/// Letters in squares and circles that are no pictographs.
pub(super) fn is_in_square(char: char) -> bool {
    is_squared(char) && !is_enclosed_letter(char)
}
