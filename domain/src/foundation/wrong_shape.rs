//! What is wrong with the shape of a value, in the words of JSON. serde's own messages name types of Rust.

use std::borrow::Cow;

use super::{error::Detail, long_numbers::keep_digits};

/// The longest string that a message repeats, in bytes.
const SHOWN_BYTES: usize = 40;

const TIME: &str = "a time of RFC 3339, such as 2026-11-21T08:30:00Z";
/// What chrono says of other texts.
const TIME_ERRORS: [&str; 6] = [
    "input is out of range",
    "no possible date and time matching input",
    "input is not enough for unique date and time",
    "input contains invalid characters",
    "premature end of input",
    "trailing input",
];

/// The field at fault and what is wrong with it, from a message of serde about the value at `path`. The path is empty
/// for the whole value.
pub fn fault(path: &str, message: &str) -> Detail {
    match missing_field(message) {
        Some(field) if path.is_empty() => {
            Detail { field: field.to_owned(), message: "is required".to_owned() }
        }
        Some(field) => Detail { field: format!("{path}.{field}"), message: "is required".to_owned() },
        None => Detail { field: path.to_owned(), message: in_json_words(message) },
    }
}

/// The field that a message of serde calls missing.
pub fn missing_field(message: &str) -> Option<&str> {
    message.strip_prefix("missing field `")?.strip_suffix('`')
}

/// Rewrites a message of serde, as words that follow the name of the field. The place in the text, if the message ends
/// with one, stays at its end.
pub fn in_json_words(message: &str) -> String {
    match message.rsplit_once(" at line ") {
        Some((message, place)) if is_place(place) => {
            format!("{} (line {})", without_place(message), place.replace(" column", ", column"))
        }
        _ => without_place(message),
    }
}

/// Whether this is such as `1 column 2`.
fn is_place(text: &str) -> bool {
    let numbers = text.split_once(" column ");
    numbers.is_some_and(|(line, column)| [line, column].iter().all(|one| one.parse::<usize>().is_ok()))
}

fn without_place(message: &str) -> String {
    if missing_field(message).is_some() {
        return "is required".to_owned();
    }
    let unknown = message.strip_prefix("unknown ").and_then(|rest| rest.rsplit_once("`, expected "));
    if let Some((found, known)) = unknown {
        let known = known.strip_prefix("one of ").unwrap_or(known).replace(" or ", ", ").replace('`', "");
        return match found.starts_with("variant") {
            true => format!("must be one of: {known}"),
            false => format!("is not a member of this object; its members are: {known}"),
        };
    }
    let invalid = message.strip_prefix("invalid ").and_then(|rest| rest.rsplit_once(", expected "));
    let Some((found, expected)) = invalid else {
        return if TIME_ERRORS.contains(&message) { format!("must be {TIME}") } else { message.to_owned() };
    };
    let found = found.strip_prefix("type: ").or_else(|| found.strip_prefix("value: ")).unwrap_or(found);
    must_be(expected, found)
}

/// What a value must be and what it is, both in the words of serde or of Figment, such as `f64` and `string "a"`.
pub fn must_be(expected: &str, found: &str) -> String {
    let number = number(found);
    let text = found.strip_prefix("string \"").and_then(|rest| rest.strip_suffix('"'));
    // Such a number is kept as text, so that "not a string" would be wrong about it.
    let is_long = text.is_some_and(is_long_number);
    let may_be_too_large = is_long || number.is_some_and(|number| number.bytes().all(|b| b.is_ascii_digit()));
    let wanted: Cow<'_, str> = match expected {
        "f32" | "f64" | "a number" if is_long => "a number with at most 17 digits".into(),
        "f32" | "f64" | "a number" => "a number".into(),
        "i8" | "i16" | "i32" | "i64" | "isize" | "an integer" => "an integer".into(),
        "a sequence" => "an array".into(),
        "a map" => "an object".into(),
        "a boolean" => "true or false".into(),
        "string or map" => "a string".into(),
        "path string" => "a path".into(),
        "an RFC 3339 formatted date and time string" => TIME.into(),
        other => match (largest(other), other.split_once(" of size ")) {
            (Some(largest), _) if may_be_too_large => format!("an integer from 0 to {largest}").into(),
            (Some(_), _) => "an integer of 0 or more".into(),
            (None, Some(("a tuple", size))) => format!("an array of {size} items").into(),
            _ if other.starts_with("struct ") || other.contains(" tagged enum ") => "an object".into(),
            _ if other.starts_with("enum ") => "a string".into(),
            _ => other.into(),
        },
    };
    if is_long {
        return format!("must be {wanted}");
    }
    let is_number_wanted = wanted.starts_with("an integer") || wanted.starts_with("a number");
    let found: Cow<'_, str> = match (number, text, found) {
        (Some(number), ..) if is_number_wanted => number.into(),
        (Some(number), ..) => format!("the number {number}").into(),
        (None, Some(text), _) if text.len() <= SHOWN_BYTES => format!("the string \"{text}\"").into(),
        (None, Some(_), _) => "a string".into(),
        (None, None, "sequence") => "an array".into(),
        (None, None, "map") => "an object".into(),
        (None, None, "unit" | "unit value") => "null".into(),
        (None, None, "boolean `true`" | "bool true") => "true".into(),
        (None, None, "boolean `false`" | "bool false") => "false".into(),
        (None, None, other) => match other.strip_prefix("length ") {
            Some(length) => format!("of length {length}").into(),
            None => other.into(),
        },
    };
    format!("must be {wanted}, not {found}")
}

/// The number that serde or Figment found.
fn number(found: &str) -> Option<&str> {
    let (kind, number) = found.strip_suffix('`')?.split_once(" `")?;
    matches!(kind, "integer" | "floating point" | "unsigned int" | "signed int" | "float").then_some(number)
}

/// Whether a text is what [`keep_digits`] makes of a number.
fn is_long_number(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b'.'))
        && matches!(keep_digits(text.as_bytes()), Cow::Owned(_))
}

/// The largest integer of a type without negative ones.
fn largest(expected: &str) -> Option<u64> {
    match expected {
        "u8" => Some(u8::MAX.into()),
        "u16" => Some(u16::MAX.into()),
        "u32" => Some(u32::MAX.into()),
        "u64" | "usize" | "an integer of 0 or more" => Some(u64::MAX),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use chrono::{DateTime, Utc};
    use serde::{Deserialize, de::DeserializeOwned};
    use serde_json::{Map, Value, json};

    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "snake_case")]
    #[allow(dead_code)]
    enum Kind {
        One,
        Two,
        Three,
    }

    #[derive(Debug, Deserialize)]
    #[serde(tag = "type", rename_all = "snake_case")]
    #[allow(dead_code)]
    enum Tagged {
        One { a: f64 },
        Two,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[allow(dead_code)]
    struct Strict {
        first: bool,
        second: Option<bool>,
    }

    fn said<T: DeserializeOwned>(value: Value) -> String {
        let error = serde_json::from_value::<T>(value).err().expect("should not be read");
        in_json_words(&error.to_string())
    }

    #[test]
    fn values_are_called_as_in_json() {
        assert_eq!(said::<String>(json!(5)), "must be a string, not the number 5");
        assert_eq!(said::<String>(json!([])), "must be a string, not an array");
        assert_eq!(said::<String>(json!({})), "must be a string, not an object");
        assert_eq!(said::<String>(json!(null)), "must be a string, not null");
        assert_eq!(said::<bool>(json!(0.5)), "must be true or false, not the number 0.5");
        assert_eq!(said::<Vec<u8>>(json!({})), "must be an array, not an object");
        assert_eq!(said::<Map<String, Value>>(json!([])), "must be an object, not an array");
        assert_eq!(said::<f64>(json!("a")), "must be a number, not the string \"a\"");
        assert_eq!(said::<f64>(json!("a".repeat(100))), "must be a number, not a string");
        assert_eq!(said::<f64>(json!(true)), "must be a number, not true");
        assert_eq!(said::<u64>(json!(-1)), "must be an integer of 0 or more, not -1");
        assert_eq!(said::<u64>(json!(0.5)), "must be an integer of 0 or more, not 0.5");
        assert_eq!(said::<u16>(json!(70_000)), "must be an integer from 0 to 65535, not 70000");
        assert_eq!(said::<Kind>(json!("four")), "must be one of: one, two, three");
        assert_eq!(said::<Kind>(json!(4)), "must be a string, not the number 4");
        assert_eq!(said::<Tagged>(json!("one")), "must be an object, not the string \"one\"");
        assert_eq!(said::<Tagged>(json!({ "type": "none" })), "must be one of: one, two");
        assert_eq!(said::<Tagged>(json!({})), "is required");
        assert_eq!(
            said::<Strict>(json!({ "third": 1 })),
            "is not a member of this object; its members are: first, second"
        );
    }

    #[test]
    fn a_time_is_described_by_an_example() {
        let time = "must be a time of RFC 3339, such as 2026-11-21T08:30:00Z";
        for wrong in ["soon", "2026", "2026-13-41T00:00:00Z", "2026-11-21T08:30:00Zz", "2026-11-21"] {
            assert_eq!(said::<DateTime<Utc>>(json!(wrong)), time, "{wrong}");
        }
        assert_eq!(said::<DateTime<Utc>>(json!(5)), format!("{time}, not the number 5"));
    }

    #[test]
    fn a_place_in_the_text_is_kept() {
        let error = serde_json::from_str::<Vec<bool>>("\n5").unwrap_err().to_string();
        assert_eq!(in_json_words(&error), "must be an array, not the number 5 (line 2, column 1)");
    }

    #[test]
    fn a_number_that_was_kept_as_text_is_not_called_a_string() {
        let long = json!("1".repeat(41));
        assert_eq!(said::<u64>(long.clone()), "must be an integer from 0 to 18446744073709551615");
        assert_eq!(said::<f64>(long.clone()), "must be a number with at most 17 digits");
        assert_eq!(said::<bool>(long), "must be true or false");
    }

    #[test]
    fn what_is_missing_is_the_field_at_fault() {
        for (path, message, field, words) in [
            ("", "missing field `a`", "a", "is required"),
            ("a[0]", "missing field `b`", "a[0].b", "is required"),
            ("a", "must begin with `req_`", "a", "must begin with `req_`"),
        ] {
            let expected = Detail { field: field.to_owned(), message: words.to_owned() };
            assert_eq!(fault(path, message), expected);
        }
    }
}
