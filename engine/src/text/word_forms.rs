//! The forms of a single word: leetspeak and repeated letters undone.

use ports::text::reader::unleet;

/// Appends a word with leetspeak and repeated letters undone. `leet` says that digits and signs are letters in any
/// case.
pub(super) fn push_plain(text: &mut String, raw: &str, leet: bool) {
    let number = !leet && raw.bytes().all(|byte| byte.is_ascii_digit());
    let leet = leet || is_leet(raw);
    let mut chars = raw
        .chars()
        .map(|char| match char {
            _ if number => '0',
            _ if leet => unleet(char),
            _ => char,
        })
        .peekable();
    while let Some(char) = chars.next() {
        let mut run = 1;
        while chars.next_if_eq(&char).is_some() {
            run += 1;
        }
        // `soooo` becomes `so`, but `free` and `boss` stay; a number keeps up to six digits.
        let kept = if number {
            run.min(6)
        } else if run > 2 {
            1
        } else {
            run
        };
        text.extend(std::iter::repeat_n(char, kept));
    }
}

/// Whether digits and signs in a word stand for letters. They do not in `2nd`, `10k`, `win10`, `v2` and plain numbers.
fn is_leet(word: &str) -> bool {
    if word.len() < 3 || !word.bytes().any(|byte| b"01345789@$!|".contains(&byte)) {
        return false;
    }
    let letters = word.chars().filter(|char| char.is_alphabetic()).count();
    let digits_first = word.bytes().take_while(u8::is_ascii_digit).count();
    let tail = word.len() - word.trim_end_matches(|char: char| char.is_ascii_digit()).len();
    let tail_is_letters = word[word.len() - tail..].bytes().all(|byte| b"035".contains(&byte));
    let mixed = word.len() >= 5 && word[digits_first..].bytes().any(|byte| byte.is_ascii_digit());
    letters > 0
        && (digits_first == 0 || digits_first == 1 && (letters >= 3 || mixed))
        && (tail < 2 || tail_is_letters)
        && word.len() - letters <= letters + 2
}

/// The other words that a disguised one may stand for, the likeliest first: digits and signs as letters, digits at
/// its ends left out, repeated letters kept once or twice. None for a word without digits, signs and repetition.
pub(super) fn readings(raw: &str) -> Vec<String> {
    let Letterings { whole, cut } = letterings(raw);
    with_cuts(raw, whole.into_iter().chain(cut), 1)
}

/// The readings that keep double letters, as `ass` does, which is not `as`.
pub(super) struct CarefulReadings {
    /// Those of all characters.
    pub(super) whole: Vec<String>,
    /// Those without the digits and signs at the ends.
    pub(super) cut: Vec<String>,
}

/// Like [`readings`], but double letters are kept.
pub(super) fn careful_readings(raw: &str) -> CarefulReadings {
    let Letterings { whole, cut } = letterings(raw);
    CarefulReadings { whole: with_cuts(raw, whole, 3), cut: with_cuts(raw, cut, 3) }
}

/// Words where runs of at least `least` equal letters are cut to two and to one, but for `raw` itself.
fn with_cuts(raw: &str, words: impl IntoIterator<Item = String>, least: usize) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for word in words {
        for most in [2, 1] {
            push_new(&mut found, with_runs(&word, least, most));
        }
    }
    found.retain(|reading| reading != raw);
    found
}

/// Digits behind a word of three letters or more, which has none within: `win10`, `kys1`.
pub(super) fn end_digits(word: &str) -> usize {
    let bare = word.trim_end_matches(|char: char| char.is_ascii_digit());
    let letters = bare.chars().count();
    if letters >= 3 && bare.chars().all(char::is_alphabetic) { word.len() - bare.len() } else { 0 }
}

/// Whether a word is a number with letters: `2nd`, `4th`, `5am`.
pub(super) fn is_counted(word: &str) -> bool {
    let unit = word.trim_start_matches(|char: char| char.is_ascii_digit());
    let number = &word[..word.len() - unit.len()];
    !number.is_empty()
        && match unit {
            "st" => number.ends_with('1'),
            "nd" => number.ends_with('2'),
            "rd" => number.ends_with('3'),
            _ => matches!(unit, "th" | "am" | "pm" | "k" | "m" | "h" | "s" | "x"),
        }
}

/// A word with its digits and signs as letters, in different ways.
struct Letterings {
    /// Those of all characters.
    whole: Vec<String>,
    /// Those without the digits and signs at the ends.
    cut: Vec<String>,
}

fn letterings(raw: &str) -> Letterings {
    let mut letterings = Letterings { whole: vec![raw.to_owned()], cut: Vec::new() };
    if !raw.contains(|char: char| char.is_ascii_digit() || "@$!|".contains(char)) {
        return letterings;
    }
    push_letterings(&mut letterings.whole, raw);
    push_letterings(&mut letterings.cut, raw.trim_end_matches(is_filler));
    push_letterings(&mut letterings.cut, raw.trim_matches(is_filler));
    letterings
}

/// Adds a word with `1` as `i` and as `l`.
fn push_letterings(found: &mut Vec<String>, word: &str) {
    push_new(found, word.chars().map(unleet).collect());
    push_new(found, word.chars().map(unleet_to_l).collect());
}

/// Like [`unleet`], with `1` as `l`.
fn unleet_to_l(char: char) -> char {
    if matches!(char, '1' | '!' | '|') { 'l' } else { unleet(char) }
}

/// Whether a character at the end of a word is an addition to it.
fn is_filler(char: char) -> bool {
    char.is_ascii_digit() || matches!(char, '!' | '|')
}

/// A word with each run of at least `least` equal letters cut to at most `most`.
fn with_runs(word: &str, least: usize, most: usize) -> String {
    let mut out = String::with_capacity(word.len());
    let mut chars = word.chars().peekable();
    while let Some(char) = chars.next() {
        let mut run = 1;
        while chars.next_if_eq(&char).is_some() {
            run += 1;
        }
        let kept = if run < least { run } else { run.min(most) };
        out.extend(std::iter::repeat_n(char, kept));
    }
    out
}

fn push_new(found: &mut Vec<String>, word: String) {
    if !word.is_empty() && !found.contains(&word) {
        found.push(word);
    }
}
