//! Keeps numbers with more digits than fit into 64 bits as text.

use std::borrow::Cow;

use memchr::memchr2;

/// Shorter numbers never lose digits.
const LONG: usize = 16;
/// The significant digits of a double, written out in full: no double has more.
const DOUBLE_DIGITS: usize = 767;

/// Quotes each number that would lose digits when parsed, such as an id of 30 digits or an amount with 20; of those
/// with an exponent, the ones that are too large to be parsed. Valid JSON stays valid, and invalid JSON stays invalid.
pub fn keep_digits(json: &[u8]) -> Cow<'_, [u8]> {
    replace_long(json, |kept, number| {
        kept.push(b'"');
        kept.extend_from_slice(number);
        kept.push(b'"');
    })
}

/// Replaces each of these numbers with a zero, so that parsing shows where a string was expected.
pub fn zero_long(json: &[u8]) -> Cow<'_, [u8]> {
    replace_long(json, |zeroed, _| zeroed.push(b'0'))
}

fn replace_long(json: &[u8], write: impl Fn(&mut Vec<u8>, &[u8])) -> Cow<'_, [u8]> {
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
                if may_lose_digits(number) && loses_digits(number) && !is_key(&json[at..]) {
                    kept.extend_from_slice(&json[copied..start]);
                    write(&mut kept, number);
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

/// Whether a number is so long, or may be so large, that it is worth a closer look.
fn may_lose_digits(number: &[u8]) -> bool {
    number.len() > LONG || number.iter().any(|byte| matches!(byte, b'e' | b'E'))
}

/// Whether a number in JSON's notation does not fit into 64 bits. One with an exponent may lose digits.
fn loses_digits(number: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(number) else { return false };
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (digits, exponent) = match digits.split_once(['e', 'E']) {
        Some((digits, exponent)) => (digits, Some(exponent.strip_prefix(['+', '-']).unwrap_or(exponent))),
        None => (digits, None),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    if !are_digits(whole) || !are_digits(fraction) || (whole.len() > 1 && whole.starts_with('0')) {
        return false;
    }
    if let Some(exponent) = exponent {
        return are_digits(exponent) && text.parse::<f64>().is_ok_and(f64::is_infinite);
    }
    if digits.len() == whole.len() {
        return text.parse::<i64>().is_err() && text.parse::<u64>().is_err();
    }
    // Compares as many digits of the parsed number as the text has: programs print doubles with up to 17 digits.
    let own: String = digits.trim_end_matches('0').chars().filter(char::is_ascii_digit).collect();
    let own = own.trim_start_matches('0');
    if own.len() > DOUBLE_DIGITS {
        return true;
    }
    let Some(decimals) = own.len().checked_sub(1) else { return false };
    text.parse::<f64>().is_ok_and(|read| {
        let read = format!("{:.decimals$e}", read.abs());
        !read.chars().take_while(|char| *char != 'e').filter(char::is_ascii_digit).eq(own.chars())
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde::de::IgnoredAny;
    use serde_json::Value;

    use super::{DOUBLE_DIGITS, keep_digits};

    #[test]
    fn a_number_of_more_than_64_bits_becomes_text() {
        for number in [
            "18446744073709551616",
            "-9223372036854775809",
            "123456789012345678901234567890",
            "0.12345678901234567890",
            "-12345678901234567.89",
            "9007199254740993.5",
            "1e400",
            "-1.5E+309",
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

    #[test]
    fn a_number_may_have_any_number_of_digits() {
        let smallest = format!("{:.1074}", f64::from_bits(1));
        assert_eq!(smallest.trim_start_matches(['0', '.']).len(), 751);
        assert_eq!(keep_digits(smallest.as_bytes()), smallest.as_bytes());
        // Between the smallest normal number and the next smaller double: as many digits as a double has.
        let longest = format!("{:.1074}", f64::from_bits(0x000f_ffff_ffff_ffff));
        assert_eq!(longest.trim_start_matches(['0', '.']).len(), DOUBLE_DIGITS);
        assert_eq!(keep_digits(longest.as_bytes()), longest.as_bytes());
        for digits in [768, 65_535, 65_536, 65_537, 200_000] {
            for number in [format!("0.{}", "7".repeat(digits)), format!("{}.5", "7".repeat(digits))] {
                let quoted = format!("\"{number}\"");
                assert_eq!(keep_digits(number.as_bytes()), quoted.as_bytes(), "{digits} digits");
            }
            let zeros = format!("0.5{}", "0".repeat(digits));
            assert_eq!(keep_digits(zeros.as_bytes()), zeros.as_bytes(), "{digits} digits");
        }
    }

    /// A part of a JSON text; digits and blanks also as often as an index of 16 bits can count.
    fn part() -> impl Strategy<Value = String> {
        let often = prop::sample::select(vec!["0", "7", "10", "é", " "]);
        let times = prop_oneof![8 => 1_usize..4, 1 => 760_usize..770, 1 => 65_533_usize..65_539];
        let once = vec!["-", ".", "e", "\"", "\\", "[", "]", "{", "}", ":", ",", "null", "0.7", "\"a\":"];
        prop_oneof![
            (often, times).prop_map(|(part, times)| part.repeat(times)),
            prop::sample::select(once).prop_map(str::to_owned),
        ]
    }

    proptest! {
        #[test]
        fn what_is_valid_can_be_read_and_what_is_invalid_cannot(
            parts in prop::collection::vec(part(), 0..12),
        ) {
            let json = parts.concat();
            let kept = keep_digits(json.as_bytes());
            let valid = serde_json::from_str::<IgnoredAny>(&json).is_ok();
            prop_assert_eq!(serde_json::from_slice::<Value>(&kept).is_ok(), valid);
        }

        #[test]
        fn a_double_written_in_full_is_a_number_and_with_one_more_digit_it_is_text(bits: u64) {
            let double = f64::from_bits(bits);
            prop_assume!(double.is_finite());
            let number = format!("{double:.1074}");
            prop_assert_eq!(&*keep_digits(number.as_bytes()), number.as_bytes());
            let longer = format!("{number}7");
            let quoted = format!("\"{longer}\"");
            prop_assert_eq!(&*keep_digits(longer.as_bytes()), quoted.as_bytes());
        }
    }
}
