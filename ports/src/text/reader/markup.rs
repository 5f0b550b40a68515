//! Codes that change the look of the text within a word: colours of games and of chat programs, and Markdown.

use std::ops::Range;

/// The signs of Markdown that come in pairs.
const MARKDOWN: [&str; 4] = ["**", "__", "~~", "||"];

/// The length of the colour code that `text` begins with, or 0: Minecraft's `§4`, Quake's `^1` and `^xF00` before a
/// letter, IRC's `\x03` with up to two colours, and those of terminals.
pub(super) fn colour_len(text: &str) -> usize {
    let bytes = text.as_bytes();
    match bytes {
        [0xc2, 0xa7, code, ..] if code.is_ascii_alphanumeric() => 3,
        [b'^', b'x' | b'X', r, g, b, ..] if [r, g, b].iter().all(|digit| digit.is_ascii_hexdigit()) => 5,
        [b'^', digit, ..] if digit.is_ascii_digit() && text[2..].starts_with(is_coloured) => 2,
        [0x03, ..] => 1 + irc_colours_len(&bytes[1..]),
        [0x04, ..] => 1 + bytes[1..].iter().take(6).take_while(|byte| byte.is_ascii_hexdigit()).count(),
        [0x1b, b'[', ..] => 2 + terminal_len(&bytes[2..]),
        _ => 0,
    }
}

/// Whether a character may follow a colour: `x^2` and `2^10` have none.
fn is_coloured(char: char) -> bool {
    char.is_alphabetic() || char == '^'
}

/// The length of `4` or `04,12`.
fn irc_colours_len(bytes: &[u8]) -> usize {
    let front = digits_len(bytes);
    match bytes.get(front) {
        Some(b',') if front > 0 && digits_len(&bytes[front + 1..]) > 0 => {
            front + 1 + digits_len(&bytes[front + 1..])
        }
        _ => front,
    }
}

fn digits_len(bytes: &[u8]) -> usize {
    bytes.iter().take(2).take_while(|byte| byte.is_ascii_digit()).count()
}

/// The length of a control sequence after `ESC [`, its final letter included.
fn terminal_len(bytes: &[u8]) -> usize {
    let numbers = bytes.iter().take(16).take_while(|byte| byte.is_ascii_digit() || **byte == b';').count();
    numbers + usize::from(bytes.get(numbers).is_some_and(u8::is_ascii_alphabetic))
}

/// The signs of Markdown within the words of a message, in order: those of a word that has letters on both sides of at
/// least one of a pair, as in `f**u**ck`. `f**k` has no pair.
pub(super) fn markdown(content: &str) -> Vec<Range<usize>> {
    if !MARKDOWN.iter().any(|sign| content.contains(sign)) {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut at = 0;
    for word in content.split_inclusive(char::is_whitespace) {
        for sign in MARKDOWN {
            push_pair(word, sign, at, &mut found);
        }
        at += word.len();
    }
    found.sort_unstable_by_key(|range| range.start);
    found
}

/// Adds the places of a sign in a word, which begins at `from`, if it comes in pairs there.
fn push_pair(word: &str, sign: &str, from: usize, found: &mut Vec<Range<usize>>) {
    let places: Vec<usize> = word.match_indices(sign).map(|(at, _)| at).collect();
    let within = places.iter().any(|at| {
        let before = word[..*at].chars().next_back().is_some_and(char::is_alphanumeric);
        before && word[at + sign.len()..].chars().next().is_some_and(char::is_alphanumeric)
    });
    let longer = places.iter().any(|at| word[at + sign.len()..].starts_with(&sign[..1]));
    if within && !longer && places.len() >= 2 {
        found.extend(places.iter().map(|at| from + at..from + at + sign.len()));
    }
}
