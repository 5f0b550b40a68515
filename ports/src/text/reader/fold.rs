//! Folds single characters: case, accents, compatibility forms and look-alikes of other scripts.

use unicode_normalization::UnicodeNormalization;

use crate::text::scripts::{self, ARABIC, CYRILLIC, DEVANAGARI, GREEK, HAN, HANGUL, HEBREW, KANA, THAI};

use super::{invisible::is_mark, twins::latin_twin};

/// Scripts whose letters stand for themselves unless they are among Latin ones.
const OWN_LETTERS: scripts::Scripts = ARABIC | DEVANAGARI | HAN | HANGUL | HEBREW | KANA | THAI;

/// Letters of other scripts by which text generators imitate Latin ones.
const IMITATIONS: [(char, char); 28] = [
    ('卂', 'a'),
    ('厶', 'a'),
    ('乃', 'b'),
    ('匚', 'c'),
    ('乇', 'e'),
    ('千', 'f'),
    ('卄', 'h'),
    ('丨', 'i'),
    ('ﾌ', 'j'),
    ('ㄥ', 'l'),
    ('乚', 'l'),
    ('爪', 'm'),
    ('几', 'n'),
    ('冂', 'n'),
    ('ㄖ', 'o'),
    ('口', 'o'),
    ('卩', 'p'),
    ('尺', 'r'),
    ('丂', 's'),
    ('ㄒ', 't'),
    ('丅', 't'),
    ('ㄩ', 'u'),
    ('凵', 'u'),
    ('山', 'w'),
    ('乂', 'x'),
    ('ㄚ', 'y'),
    ('丫', 'y'),
    ('乙', 'z'),
];

/// The letter that a digit or a sign within a word stands for; other characters stand for themselves.
pub fn unleet(char: char) -> char {
    match char {
        '0' => 'o',
        '1' | '!' | '|' => 'i',
        '3' => 'e',
        '4' | '@' => 'a',
        '5' | '$' => 's',
        '7' => 't',
        '8' => 'b',
        '9' => 'g',
        _ => char,
    }
}

/// Whether a word is written in letters that imitate Latin ones: three or more letters, none of which is only a letter
/// of a script of its own.
pub(super) fn is_imitation(word: &str) -> bool {
    let letters = word.chars().filter(|char| char.is_alphabetic());
    let imitations = letters.clone().filter(|char| imitated(*char).is_some()).count();
    let own =
        letters.clone().filter(|char| imitated(*char).is_none() && scripts::script(*char) & OWN_LETTERS != 0);
    imitations >= 2 && own.count() == 0 && letters.count() >= 3
}

/// The Latin letter that a letter of another script imitates.
fn imitated(char: char) -> Option<char> {
    IMITATIONS.iter().find(|(imitation, _)| *imitation == char).map(|(_, latin)| *latin)
}

/// What the letters of a word that look the same in several scripts are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Letters {
    /// As they are written.
    #[default]
    Own,
    /// Latin: the word has Latin letters, or is in a message in Latin letters.
    Latin,
    /// Cyrillic: the word has Latin letters among Cyrillic ones.
    Cyrillic,
}

/// Where a character stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Context {
    /// Between two Latin letters or digits.
    pub(super) within_latin: bool,
    /// The script of its word.
    pub(super) letters: Letters,
    /// In a word whose letters imitate Latin ones.
    pub(super) imitation: bool,
}

/// Appends what a character that is not ASCII reads as, in lower case.
pub(super) fn fold(char: char, context: Context, out: &mut String) {
    if let Some(latin) = imitated(char).filter(|_| context.imitation) {
        out.push(latin);
        return;
    }
    let script = scripts::script(char);
    if script & OWN_LETTERS != 0 && !context.within_latin {
        std::iter::once(char).nfkc().for_each(|part| push_own(part, out));
        return;
    }
    let is_latin = context.letters == Letters::Latin;
    if script & (CYRILLIC | GREEK) != 0 && !is_latin && !context.imitation {
        // `Н` looks like `H` in a Latin word, and is `н` in a Russian one.
        std::iter::once(char).nfd().for_each(|part| push_own(part, out));
        return;
    }
    let twin = char.to_lowercase().next().and_then(latin_twin);
    match twin.filter(|_| is_latin) {
        Some(latin) => out.push(latin),
        None => push_folded(char, context.within_latin, out),
    }
}

fn push_folded(char: char, within_latin: bool, out: &mut String) {
    match char {
        'ß' | 'ẞ' => out.push_str("ss"),
        'ς' | 'σ' | 'Σ' => out.push('o'),
        '€' | '£' | '¥' | '₿' => out.push('€'),
        '\u{2018}' | '\u{2019}' | '\u{201b}' | '\u{2bc}' | '\u{ff07}' | '´' => out.push('\''),
        '\u{2010}'..='\u{2015}' | '\u{2212}' => out.push('-'),
        _ => cure(char, within_latin, out),
    }
}

/// Appends the letter that another one looks like. A symbol looks like a letter only among letters.
fn cure(char: char, within_latin: bool, out: &mut String) {
    let is_letter = char.is_alphanumeric() || is_enclosed(char);
    let from = out.len();
    match decancer::cure_char(char, decancer::Options::default()) {
        decancer::Translation::Character(cured) => out.push(cured),
        decancer::Translation::String(cured) => out.push_str(&cured),
        decancer::Translation::None => {}
    }
    if !is_letter && !within_latin && out[from..].contains(char::is_alphanumeric) {
        out.truncate(from);
        out.push(char);
    }
}

/// Letters and digits in circles, squares and brackets.
fn is_enclosed(char: char) -> bool {
    matches!(char, '\u{2460}'..='\u{24ff}' | '\u{2776}'..='\u{2793}' | '\u{1f100}'..='\u{1f1ff}')
}

/// Appends a letter of a script of its own, in one of its forms: Arabic without carriers of hamza, hiragana for
/// katakana, Greek without the sigma of word ends.
fn push_own(char: char, out: &mut String) {
    match char {
        _ if is_mark(char) => {}
        'آ' | 'أ' | 'إ' | 'ٱ' => out.push('ا'),
        'ى' | 'ی' | 'ئ' => out.push('ي'),
        'ة' => out.push('ه'),
        'ؤ' => out.push('و'),
        'ک' => out.push('ك'),
        'ς' => out.push('σ'),
        '\u{30a1}'..='\u{30f6}' => out.extend(char::from_u32(u32::from(char) - 0x60)),
        _ => out.extend(char.to_lowercase()),
    }
}
