//! The forms of a single word: leetspeak and repeated letters undone.

use ports::text::reader::unleet;

/// Appends a word with leetspeak and repeated letters undone.
pub(super) fn push_plain(text: &mut String, raw: &str) {
    let leet = is_leet(raw);
    let number = raw.bytes().all(|byte| byte.is_ascii_digit());
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
    let mut found: Vec<String> = Vec::new();
    for letters in letterings(raw) {
        for most in [2, 1] {
            push_new(&mut found, with_runs(&letters, most));
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
    unit.len() < word.len()
        && matches!(unit, "st" | "nd" | "rd" | "th" | "am" | "pm" | "k" | "m" | "h" | "s" | "x")
}

/// A word with its digits and signs as letters, in different ways.
fn letterings(raw: &str) -> Vec<String> {
    let mut found = vec![raw.to_owned()];
    if !raw.contains(|char: char| char.is_ascii_digit() || "@$!|".contains(char)) {
        return found;
    }
    let bare = raw.trim_end_matches(is_filler);
    let core = bare.trim_start_matches(|char: char| char.is_ascii_digit());
    for part in [raw, bare, core] {
        push_new(&mut found, part.chars().map(unleet).collect());
        push_new(
            &mut found,
            part.chars()
                .map(|char| if matches!(char, '1' | '!' | '|') { 'l' } else { unleet(char) })
                .collect(),
        );
    }
    found
}

/// Whether a character at the end of a word is an addition to it.
fn is_filler(char: char) -> bool {
    char.is_ascii_digit() || matches!(char, '!' | '|')
}

/// A word with each run of a letter cut to at most `most`.
fn with_runs(word: &str, most: usize) -> String {
    let mut out = String::with_capacity(word.len());
    let mut run = 0;
    let mut last = None;
    for char in word.chars() {
        run = if last == Some(char) { run + 1 } else { 1 };
        last = Some(char);
        if run <= most {
            out.push(char);
        }
    }
    out
}

fn push_new(found: &mut Vec<String>, word: String) {
    if !word.is_empty() && !found.contains(&word) {
        found.push(word);
    }
}
