//! Keeps numbers with more digits than fit into 64 bits as text.

use std::borrow::Cow;

use memchr::memchr2;

/// Shorter numbers never lose digits.
const LONG: usize = 16;

/// Quotes each number that would lose digits when parsed, such as an id of 30 digits or an amount with 20; numbers with
/// an exponent are left alone. Valid JSON stays valid, and invalid JSON stays invalid.
pub fn keep_digits(json: &[u8]) -> Cow<'_, [u8]> {
    let mut kept = Vec::new();
    let mut copied = 0;
    let mut at = 0;
    while let Some(byte) = json.get(at) {
        let start = at;
        at += 1;
        match byte {
            b'"' => at = end_of_text(json, at),
            b'-' | b'0'..=b'9' => {
                at += json[at..].iter().take_while(|byte| is_of_a_number(**byte)).count();
                let number = &json[start..at];
                if number.len() > LONG && loses_digits(number) && !is_key(&json[at..]) {
                    kept.extend_from_slice(&json[copied..start]);
                    kept.push(b'"');
                    kept.extend_from_slice(number);
                    kept.push(b'"');
                    copied = at;
                }
            }
            _ => {}
        }
    }
    if copied == 0 {
        return Cow::Borrowed(json);
    }
    kept.extend_from_slice(&json[copied..]);
    Cow::Owned(kept)
}

/// The index after the string that begins before `at`. Strings such as pictures can be long, so this is fast.
fn end_of_text(json: &[u8], mut at: usize) -> usize {
    while let Some(next) = json.get(at..).and_then(|rest| memchr2(b'"', b'\\', rest)) {
        at += next + 1;
        if json[at - 1] == b'"' {
            return at;
        }
        at += 1;
    }
    json.len()
}

fn are_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_of_a_number(byte: u8) -> bool {
    byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'E' | b'+' | b'-')
}

/// A number before a colon is not valid JSON, and must not become valid.
fn is_key(rest: &[u8]) -> bool {
    rest.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b':')
}

/// Whether a number in JSON's notation, without an exponent, does not fit into 64 bits.
fn loses_digits(number: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(number) else { return false };
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    if !are_digits(whole) || !are_digits(fraction) || (whole.len() > 1 && whole.starts_with('0')) {
        return false;
    }
    if digits.len() == whole.len() {
        return text.parse::<i64>().is_err() && text.parse::<u64>().is_err();
    }
    // Compares as many digits of the parsed number as the text has: programs print doubles with up to 17 digits.
    let own: String = digits.trim_end_matches('0').chars().filter(char::is_ascii_digit).collect();
    let own = own.trim_start_matches('0');
    let Some(decimals) = own.len().checked_sub(1) else { return false };
    text.parse::<f64>().is_ok_and(|read| {
        let read = format!("{:.decimals$e}", read.abs());
        !read.chars().take_while(|char| *char != 'e').filter(char::is_ascii_digit).eq(own.chars())
    })
}

#[cfg(test)]
mod tests {
    use super::keep_digits;

    #[test]
    fn a_number_of_more_than_64_bits_becomes_text() {
        for number in [
            "18446744073709551616",
            "-9223372036854775809",
            "123456789012345678901234567890",
            "0.12345678901234567890",
            "-12345678901234567.89",
            "9007199254740993.5",
        ] {
            for (before, after) in [("", ""), ("{\"a\":[1, ", ",\"b\"]}"), (" ", "\n")] {
                let kept = keep_digits(format!("{before}{number}{after}").as_bytes()).into_owned();
                assert_eq!(String::from_utf8(kept).unwrap(), format!("{before}\"{number}\"{after}"));
            }
        }
    }

    #[test]
    fn everything_else_is_unchanged() {
        for json in [
            "18446744073709551615",
            "-9223372036854775808",
            "0.1000000000000000000000",
            "1234567890.12000000000",
            // A double with all its 17 digits, as some programs print it.
            "0.69999999999999996",
            "-12.300000000000001",
            "0.00000000000000000000",
            "\"a \\\" and 123456789012345678901234567890",
            "12345678901234567890e3",
            "1e-400",
            "\"123456789012345678901234567890\"",
            r#"{"123456789012345678901234567890":"\\\"123456789012345678901234567890"}"#,
            // Not JSON.
            "{123456789012345678901234567890 :1}",
            "[0123456789012345678901234567890]",
            "[1.234567890123456789012345.6]",
            "[12345678901234567890123.]",
            "\"12345678901234567890123",
            "\\",
            "-",
        ] {
            assert_eq!(keep_digits(json.as_bytes()), json.as_bytes(), "{json}");
        }
    }
}
