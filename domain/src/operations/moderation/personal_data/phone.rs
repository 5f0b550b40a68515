//! Telephone numbers: international ones, those that are written in a country's groups, and any digits behind a word
//! such as "call".

use std::{ops::Range, sync::LazyLock};

use regex::Regex;

use super::{
    beside::{after, before, in_number, matches, stands_alone},
    checks::digits,
    expression::compile,
    kind::{PersonalData, PersonalDataKind},
};

/// A plus sign, or two zeros, and 8 to 15 digits in any groups (ITU-T E.164).
static INTERNATIONAL: LazyLock<Regex> =
    LazyLock::new(|| numbers(r"(?:\+|00)[ ]?[1-9](?:[ ./-]?(?:\([0-9]{1,5}\)|[0-9])){7,14}"));

/// The groups of North America, and those that begin with a zero.
static NATIONAL: LazyLock<Regex> = LazyLock::new(|| {
    numbers(concat!(
        r"(?:1[ .-])?(?:\([2-9][0-9]{2}\) ?|[2-9][0-9]{2}[ .-])[2-9][0-9]{2}[ .-][0-9]{4}|",
        r"\(?0[1-9][0-9]{0,4}\)?[ /.-][0-9]{2,8}(?:[ .-][0-9]{2,6}){0,4}"
    ))
});

/// A day, a month and a year.
static DATE: LazyLock<Regex> = LazyLock::new(|| compile(r"^[0-9]{2}[ /.-][0-9]{2}[ /.-](?:19|20)[0-9]{2}"));

/// Digits in any groups.
static ANY: LazyLock<Regex> = LazyLock::new(|| numbers(r"\(?[0-9](?:[ ./-]?[0-9()]){6,14}"));

/// Calling codes of one and two digits (ITU-T E.164); all others have three.
const SHORT_CODES: [u32; 46] = [
    1, 7, 20, 27, 30, 31, 32, 33, 34, 36, 39, 40, 41, 43, 44, 45, 46, 47, 48, 49, 51, 52, 53, 54, 55, 56, 57,
    58, 60, 61, 62, 63, 64, 65, 66, 81, 82, 84, 86, 90, 91, 92, 93, 94, 95, 98,
];
/// The first two digits of calling codes of three.
const LONG_CODES: [u32; 24] =
    [21, 22, 23, 24, 25, 26, 29, 35, 37, 38, 42, 50, 59, 67, 68, 69, 80, 83, 85, 87, 88, 96, 97, 99];

/// Words that announce a number.
const ANNOUNCED_BY: [&str; 25] = [
    "call",
    "phone",
    "ph",
    "tel",
    "telephone",
    "mobile",
    "cell",
    "cellphone",
    "landline",
    "hotline",
    "whatsapp",
    "sms",
    "ring",
    "fax",
    "desk",
    "handy",
    "telefon",
    "tlf",
    "teléfono",
    "telefono",
    "móvil",
    "celular",
    "portable",
    "numéro",
    "тел",
];
/// "My number" and the like announce one too; "number" alone does not.
const WHOSE: [&str; 8] = ["my", "his", "her", "your", "their", "our", "contact", "this"];
/// Words that say that a number is something else.
const OTHERWISE: [&str; 6] = ["order", "ticket", "id", "invoice", "case", "ref"];
/// How many words before a number are looked at, and how many after it.
const WORDS_BESIDE: usize = 4;

/// An expression of numbers, which may have an extension.
fn numbers(pattern: &str) -> Regex {
    compile(&format!("(?:{pattern})(?: ?(?:x|ext\\.?|#) ?[0-9]{{1,6}})?"))
}

/// The telephone numbers of a message, in no order.
pub(super) fn find(content: &str) -> Vec<PersonalData> {
    let international = matches(&INTERNATIONAL, content)
        .filter(|span| is_whole(content, span))
        .filter(|span| is_international(&content[span.clone()]));
    let national = matches(&NATIONAL, content)
        .filter(|span| is_whole(content, span))
        .filter(|span| is_national(&content[span.clone()]));
    let announced = matches(&ANY, content)
        .filter(|span| is_whole(content, span))
        .filter(|span| is_local(&content[span.clone()]) && is_announced(content, span));
    let spans = international.chain(national).chain(announced);
    spans.map(|span| PersonalData::new(PersonalDataKind::Phone, span)).collect()
}

/// Whether it is no part of a longer number.
fn is_whole(content: &str, span: &Range<usize>) -> bool {
    let follows_digits = content[..span.start].trim_end().ends_with(|char: char| char.is_ascii_digit());
    stands_alone(content, span) && !in_number(content, span) && !follows_digits
}

/// The digits of a number, without an extension.
fn own_digits(text: &str) -> Vec<u32> {
    digits(text.split(['x', 'e', '#']).next().unwrap_or_default())
}

/// Whether it begins with a calling code.
fn is_international(text: &str) -> bool {
    let digits = own_digits(text.trim_start_matches('+').trim_start_matches("00"));
    let first = digits.first().copied().unwrap_or_default();
    let two = first * 10 + digits.get(1).copied().unwrap_or_default();
    let is_code = SHORT_CODES.contains(&first) || SHORT_CODES.contains(&two) || LONG_CODES.contains(&two);
    (8..=15).contains(&digits.len()) && is_code && varied(&digits)
}

/// Whether it has as many digits as numbers have, and begins with no date.
fn is_national(text: &str) -> bool {
    let digits = own_digits(text);
    (9..=12).contains(&digits.len()) && varied(&digits) && !DATE.is_match(text)
}

/// Whether it has as many digits as numbers have with and without a country's prefix.
fn is_local(text: &str) -> bool {
    let digits = own_digits(text);
    (7..=12).contains(&digits.len()) && varied(&digits) && !DATE.is_match(text)
}

/// Whether it has at least three different digits.
fn varied(digits: &[u32]) -> bool {
    (0..10).filter(|digit| digits.contains(digit)).count() >= 3
}

/// Whether a word shortly before it, or one of the next, says that it is a telephone number.
fn is_announced(content: &str, span: &Range<usize>) -> bool {
    let before = before(content, span).to_lowercase();
    let after = after(content, span).to_lowercase();
    let before: Vec<&str> = words(&before).rev().take(WORDS_BESIDE).collect();
    let after: Vec<&str> = words(&after).take(WORDS_BESIDE).collect();
    let announced = announce(&before) || (after.starts_with(&["is"]) && announce(&after));
    announced && !before.iter().any(|word| OTHERWISE.contains(word))
}

fn announce(words: &[&str]) -> bool {
    let whose = words.contains(&"number") && words.iter().any(|word| WHOSE.contains(word));
    whose || words.iter().any(|word| ANNOUNCED_BY.contains(word))
}

fn words(text: &str) -> impl DoubleEndedIterator<Item = &str> {
    text.split(|char: char| !char.is_alphabetic()).filter(|word| !word.is_empty())
}
