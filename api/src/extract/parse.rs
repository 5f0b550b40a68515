//! JSON text to a type, or all that is wrong with it.

use std::borrow::Cow;

use domain::{
    Code, Detail, Error, Result,
    foundation::long_numbers::{keep_digits, zero_long},
};
use serde::{Deserialize as _, de::DeserializeOwned};
use serde_json::Value;

use super::faults::{all_faults, read_shape};

/// How deep the arrays and objects of a body may be nested.
const MAX_DEPTH: usize = 128;

/// A larger body is not read again for its further faults.
const MAX_BYTES_OF_ALL_FAULTS: usize = 64 * 1024;

/// Parses a body. One that does not parse at once is parsed again in two steps, so that a syntax error is reported even
/// when a value before it has the wrong type.
///
/// # Errors
/// `MALFORMED_BODY` for what is not JSON; `VALIDATION_FAILED` naming each field at fault, or the first one of a large
/// body.
pub(super) fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T> {
    let bytes = utf8(bytes)?;
    let kept = keep_digits(bytes);
    if let Ok(parsed) = serde_json::from_slice(&kept) {
        if matches!(kept, Cow::Owned(_)) {
            require_texts::<T>(&zero_long(bytes))?;
        }
        return Ok(parsed);
    }
    let bytes = &*kept;
    if bytes.is_empty() {
        return Err(Error::new(Code::MalformedBody, "the body is empty; it must be a JSON object"));
    }
    let value = read(bytes)
        .map_err(|error| Error::new(Code::MalformedBody, format!("the body is not JSON: {error}")))?;
    read_shape(&value).map_err(|first| {
        let faults =
            if bytes.len() <= MAX_BYTES_OF_ALL_FAULTS { all_faults::<T>(value, first) } else { vec![first] };
        Error::all_invalid(faults.into_iter().map(Into::into).collect())
    })
}

/// Requires that no long number stands where a string is expected, which [`keep_digits`] would make of it. `zeroed`:
/// the body with zeros in place of long numbers.
fn require_texts<T: DeserializeOwned>(zeroed: &[u8]) -> Result<()> {
    let Ok(Err(fault)) = read(zeroed).map(|value| read_shape::<T>(&value)) else { return Ok(()) };
    let Detail { field, message } = fault.into();
    Err(Error::invalid(field, message.replace("the number 0", "a number")))
}

/// A body without its byte order mark.
///
/// # Errors
/// `MALFORMED_BODY` for UTF-16 and UTF-32, which no JSON on the web may have (RFC 8259, 8.1).
fn utf8(bytes: &[u8]) -> Result<&[u8]> {
    // The first character of JSON is ASCII, so that a zero beside it is half of a wider one.
    let wide = matches!(bytes, [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] | [0, _, ..] | [_, 0, ..]);
    if wide {
        return Err(Error::new(Code::MalformedBody, "the body must be UTF-8; this one is UTF-16 or UTF-32"));
    }
    Ok(bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes))
}

/// Reads a body that is parsed already.
///
/// # Errors
/// As for a whole body, each field at fault.
pub(crate) fn read_value<T: DeserializeOwned>(value: &Value) -> Result<T> {
    T::deserialize(value).or_else(|_| parse(value.to_string().as_bytes()))
}

/// Reads JSON that is nested at most [`MAX_DEPTH`] deep. serde_json by itself stops one short of that.
fn read(bytes: &[u8]) -> serde_json::Result<Value> {
    let mut json = serde_json::Deserializer::from_slice(bytes);
    if depth(bytes) <= MAX_DEPTH {
        json.disable_recursion_limit();
    }
    let value = Value::deserialize(&mut json)?;
    json.end()?;
    Ok(value)
}

/// How deep a JSON text is nested; for invalid JSON, no less than a parser descends.
fn depth(bytes: &[u8]) -> usize {
    let mut open = 0_usize;
    let mut deepest = 0;
    let mut quoted = false;
    let mut escaped = false;
    for byte in bytes {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'[' | b'{' if !quoted => {
                open += 1;
                deepest = deepest.max(open);
            }
            b']' | b'}' if !quoted => open = open.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum Kind {
        One,
        Two,
    }

    #[derive(Debug, Deserialize)]
    struct Item {
        #[allow(dead_code)]
        name: String,
        #[allow(dead_code)]
        kind: Option<Kind>,
        #[allow(dead_code)]
        count: Option<u64>,
        // As the real shapes have it: without it serde reads an array in an object's place.
        #[serde(flatten)]
        #[allow(dead_code)]
        only_objects: (),
    }

    #[derive(Debug, Deserialize)]
    struct Body {
        #[allow(dead_code)]
        items: Vec<Item>,
        #[serde(flatten)]
        #[allow(dead_code)]
        only_objects: (),
    }

    fn fails(body: &str) -> (Code, String) {
        let error = parse::<Body>(body.as_bytes()).expect_err("should not be read");
        (error.code, error.message)
    }

    #[test]
    fn what_is_not_json_is_malformed() {
        let deep = format!("{{\"items\":{}{}}}", "[".repeat(200), "]".repeat(200));
        for body in ["", "{", "{\"items\": 5,", "{\"items\": \"\\ud800\"}", "[1]x", &deep, "\0{", "{\0}\0"] {
            assert_eq!(fails(body).0, Code::MalformedBody, "{body:?}");
        }
        assert_eq!(parse::<Body>(b"{\"items\":\"\xff\"}").expect_err("bad UTF-8").code, Code::MalformedBody);
    }

    #[test]
    fn wrong_shapes_name_the_field_and_what_it_should_be() {
        let said = [
            ("[]", "body must be an object, not an array"),
            ("{}", "items is required"),
            (r#"{"items":5}"#, "items must be an array, not the number 5"),
            (r#"{"items":[["a"]]}"#, "items[0] must be an object, not an array"),
            (r#"{"items":[{}]}"#, "items[0].name is required"),
            (r#"{"items":[{"name":null}]}"#, "items[0].name must be a string, not null"),
            (r#"{"items":[{"name":"a","kind":"three"}]}"#, "items[0].kind must be one of: one, two"),
            (
                r#"{"items":[{"name":"a","count":-1}]}"#,
                "items[0].count must be an integer of 0 or more, not -1",
            ),
        ];
        for (body, message) in said {
            assert_eq!(fails(body), (Code::ValidationFailed, message.to_owned()), "{body}");
        }
    }

    #[test]
    fn a_long_number_is_no_text() {
        for number in ["123456789012345678901234567890", "1e400", "-0.1234567890123456789"] {
            let body = format!(r#"{{"items":[{{"name":{number}}}]}}"#);
            let said = (Code::ValidationFailed, "items[0].name must be a string, not a number".to_owned());
            assert_eq!(fails(&body), said);
        }
        let kept: Value = parse(br#"{"id":123456789012345678901234567890}"#).expect("reads");
        assert_eq!(kept["id"], "123456789012345678901234567890");
    }

    #[test]
    fn every_fault_is_listed() {
        let body = r#"{"items":[{"kind":"three","count":-1},5,{"name":"a"},{"name":[],"kind":1}]}"#;
        let error = parse::<Body>(body.as_bytes()).expect_err("should not be read");
        let mut fields: Vec<&str> = error.details.iter().map(|detail| detail.field.as_str()).collect();
        fields.sort_unstable();
        let all = [
            "items[0].count",
            "items[0].kind",
            "items[0].name",
            "items[1]",
            "items[3].kind",
            "items[3].name",
        ];
        // What is put in the place of `items[1]` has no name, which is not the client's fault.
        assert_eq!(fields, all);
        assert_eq!(error.message, format!("{} {}", error.details[0].field, error.details[0].message));
    }

    #[test]
    fn a_byte_order_mark_is_passed_over() {
        parse::<Body>("\u{feff}{\"items\":[]}".as_bytes()).expect("reads");
        for wide in [&b"\xFF\xFE{\0"[..], b"\xFE\xFF\0{", b"{\0}\0"] {
            let error = parse::<Body>(wide).expect_err("should not be read");
            assert!(error.message.contains("UTF-8"), "{}", error.message);
        }
    }

    #[test]
    fn kinds_are_read() {
        let body: Body =
            parse(br#"{"items":[{"name":"a","kind":"one"},{"name":"b","kind":"two"}]}"#).expect("reads");
        assert!(
            matches!(body.items[0].kind, Some(Kind::One)) && matches!(body.items[1].kind, Some(Kind::Two))
        );
    }

    /// A part of a body.
    fn part() -> impl Strategy<Value = String> {
        let known = vec![
            "{",
            "}",
            "[",
            "]",
            ":",
            ",",
            "\"",
            "\\",
            "\\u",
            "d800",
            "null",
            "true",
            "1e999",
            "-0",
            "0.5",
            "\"content\":",
            "\"messages\":[{",
            "\"content\":\"x\"",
            "\"mentions_count\":",
            "\"author\":7",
        ];
        prop_oneof![
            prop::sample::select(known).prop_map(str::to_owned),
            "\\PC{0,3}",
            (
                prop::sample::select(vec!["[", "{\"a\":", "7", "0.7", " "]),
                prop_oneof![Just(127), Just(128), Just(70_000)]
            )
                .prop_map(|(part, times): (&str, usize)| part.repeat(times)),
        ]
    }

    proptest! {
        #[test]
        fn any_body_is_parsed_or_refused(parts in prop::collection::vec(part(), 0..12)) {
            let body = parts.concat();
            for refused in [
                parse::<Item>(body.as_bytes()).err(),
                parse::<Value>(body.as_bytes()).err(),
            ] {
                let code = refused.map(|error| error.code);
                let known = [None, Some(Code::MalformedBody), Some(Code::ValidationFailed)];
                prop_assert!(known.contains(&code), "{code:?}");
            }
        }
    }
}
