//! What is beside a number in a message.

use std::ops::Range;

use regex::Regex;

/// How much of a message beside a number is read, in bytes.
const BESIDE: usize = 80;

/// The places of a pattern in a message.
pub(super) fn matches<'a>(pattern: &'a Regex, content: &'a str) -> impl Iterator<Item = Range<usize>> + 'a {
    pattern.find_iter(content).map(|found| found.range())
}

/// What is shortly before it.
pub(super) fn before<'a>(content: &'a str, span: &Range<usize>) -> &'a str {
    &content[content.floor_char_boundary(span.start.saturating_sub(BESIDE))..span.start]
}

/// What is shortly after it.
pub(super) fn after<'a>(content: &'a str, span: &Range<usize>) -> &'a str {
    &content[span.end..content.floor_char_boundary(span.end + BESIDE)]
}

/// Whether neither a letter nor a digit is beside it.
pub(super) fn stands_alone(content: &str, span: &Range<usize>) -> bool {
    let before = content[..span.start].chars().next_back();
    let after = content[span.end..].chars().next();
    !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
}

/// Whether it is a part of a longer number, of a path or of a mention such as `<@123>`.
pub(super) fn in_number(content: &str, span: &Range<usize>) -> bool {
    let mut before = content[..span.start].chars().rev();
    let mut after = content[span.end..].chars();
    let last = before.next();
    let joined_before =
        matches!(last, Some('.' | ',' | '-' | '/' | '_' | '=' | '#' | '@' | '&' | '$' | '€' | '£'))
            && !(last == Some('-') && before.next().is_none_or(char::is_whitespace));
    let joined_after = matches!(after.next(), Some('.' | ',' | '-' | '/' | '_' | '=' | '%' | '>'))
        && after.next().is_some_and(char::is_alphanumeric);
    joined_before || joined_after
}
