//! A JSON body, read strictly: invalid JSON is 400; JSON of the wrong shape is 422 and names the field.

use axum::{
    body::Bytes,
    extract::{FromRequest, Request, rejection::BytesRejection},
    http::{HeaderMap, StatusCode, header},
};
use domain::{Code, Detail, Error, Result, foundation::long_numbers::keep_digits};
use serde::{Deserialize, Deserializer, de::DeserializeOwned};
use serde_json::{Value, json};

use super::content_encoding::{AcceptsCompressed, ContentEncoding};
use crate::error::Failure;

/// How deep the arrays and objects of a body may be nested.
const MAX_DEPTH: usize = 128;

/// Faults of a body that are listed besides the first, at most.
const MAX_FAULTS: usize = 20;
/// A larger body is not read again for its further faults.
const MAX_BYTES_OF_ALL_FAULTS: usize = 64 * 1024;

/// A request body of type `T`.
pub(crate) struct ApiJson<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for ApiJson<T> {
    type Rejection = Failure;

    async fn from_request(request: Request, state: &S) -> Result<Self, Failure> {
        if !is_json(&content_type(request.headers())) {
            let message = "the content type must be application/json";
            return Err(Error::new(Code::UnsupportedMediaType, message).into());
        }
        let accepts = request.extensions().get::<AcceptsCompressed>().copied();
        let encoding = ContentEncoding::of(request.headers(), accepts.is_some())?;
        let bytes = Bytes::from_request(request, state).await.map_err(body_error)?;
        let bytes = match accepts {
            Some(AcceptsCompressed { max_bytes }) => encoding.decode(bytes, max_bytes)?,
            None => bytes,
        };
        Ok(Self(parse(&bytes)?))
    }
}

/// The content type without its parameters, in lower case; empty when there is none.
pub(crate) fn content_type(headers: &HeaderMap) -> String {
    let value = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// Whether a content type is JSON's.
pub(super) fn is_json(content_type: &str) -> bool {
    content_type == "application/json"
        || (content_type.starts_with("application/") && content_type.ends_with("+json"))
}

/// Deserialises an optional field that may be left out but may not be `null`.
pub(crate) fn non_null<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    value: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(value).map(Some)
}

/// Deserialises one of `names` and nothing else. A derived enum accepts `{"name": null}` too, and its error for a
/// wrong type does not list the names.
pub(crate) fn one_of<'de, T: Copy, D: Deserializer<'de>>(
    value: D,
    names: &[(&str, T)],
) -> Result<T, D::Error> {
    let value = Value::deserialize(value)?;
    let found = names.iter().find(|(name, _)| value.as_str() == Some(name));
    found.map(|(_, meant)| *meant).ok_or_else(|| {
        let names: Vec<&str> = names.iter().map(|(name, _)| *name).collect();
        serde::de::Error::custom(format!("must be one of: {}", names.join(", ")))
    })
}

fn body_error(rejection: BytesRejection) -> Error {
    match rejection.status() {
        StatusCode::PAYLOAD_TOO_LARGE => {
            Error::new(Code::PayloadTooLarge, "the body is too large for this path")
        }
        _ => Error::new(Code::MalformedBody, "the body did not arrive whole"),
    }
}

/// Parses a body. One that does not parse at once is parsed again in two steps, so that a syntax error is reported even when a value
/// before it has the wrong type.
fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T> {
    let bytes = &*keep_digits(bytes);
    if let Ok(parsed) = serde_json::from_slice(bytes) {
        return Ok(parsed);
    }
    if bytes.is_empty() {
        return Err(Error::new(Code::MalformedBody, "the body is empty; it must be a JSON object"));
    }
    let value = read(bytes)
        .map_err(|error| Error::new(Code::MalformedBody, format!("the body is not JSON: {error}")))?;
    read_shape(value.clone()).map_err(|fault| {
        let more =
            if bytes.len() <= MAX_BYTES_OF_ALL_FAULTS { more_faults::<T>(value, &fault) } else { Vec::new() };
        let details = std::iter::once(fault)
            .chain(more)
            .map(|fault| Detail { field: fault.field, message: fault.message });
        Error::all_invalid(details.collect())
    })
}

/// Reads a body that is parsed already.
///
/// # Errors
/// As for a whole body, each field at fault.
pub(crate) fn read_value<T: DeserializeOwned>(value: &Value) -> Result<T> {
    T::deserialize(value).or_else(|_| parse(value.to_string().as_bytes()))
}

/// A fault in the shape of a body.
struct Fault {
    /// The path for people.
    field: String,
    message: String,
    /// Where the value at fault is, or where it is missing.
    at: Vec<Segment>,
}

/// A step of a path.
#[derive(Clone, PartialEq)]
enum Segment {
    Key(String),
    Index(usize),
}

fn read_shape<T: DeserializeOwned>(value: Value) -> Result<T, Fault> {
    serde_path_to_error::deserialize(value).map_err(|error| {
        let path = error.path().clone();
        let message = error.into_inner().to_string();
        let mut at: Vec<Segment> = path
            .iter()
            .filter_map(|segment| match segment {
                serde_path_to_error::Segment::Map { key } => Some(Segment::Key(key.clone())),
                serde_path_to_error::Segment::Seq { index } => Some(Segment::Index(*index)),
                _ => None,
            })
            .collect();
        let missing = message.strip_prefix("missing field `").and_then(|rest| rest.strip_suffix('`'));
        at.extend(missing.map(|field| Segment::Key(field.to_owned())));
        let (field, message) = describe(path.to_string().trim_matches('.'), &message);
        Fault { field, message, at }
    })
}

/// The further faults of a body: takes the value of each fault away, or puts one there that fits, to see whether there is
/// another.
fn more_faults<T: DeserializeOwned>(mut value: Value, first: &Fault) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut mended = vec![first.at.clone()];
    let mut at = first.at.clone();
    while mended.len() < MAX_FAULTS && !at.is_empty() {
        let fitting =
            [None, Some(json!("a")), Some(json!(1)), Some(json!(false)), Some(json!([])), Some(json!({}))];
        let next = fitting.into_iter().find_map(|fitting| {
            put(&mut value, &at, fitting);
            let next = read_shape::<T>(value.clone()).err();
            // The same fault again says that this did not fit.
            (!next.as_ref().is_some_and(|next| next.at == at)).then_some(next)
        });
        let Some(Some(fault)) = next else { return faults };
        at.clone_from(&fault.at);
        // What is missing in a value of ours is not missing in the client's.
        if !mended.iter().any(|mended| at.starts_with(mended)) {
            faults.push(fault);
        }
        mended.push(at.clone());
    }
    faults
}

/// Sets or removes the value at a path, if there is such a place.
fn put(value: &mut Value, at: &[Segment], new: Option<Value>) {
    match (at, value) {
        ([Segment::Key(key)], Value::Object(members)) => {
            match new {
                Some(new) => members.insert(key.clone(), new),
                None => members.shift_remove(key),
            };
        }
        ([Segment::Index(index)], Value::Array(items)) => {
            if let (Some(place), Some(new)) = (items.get_mut(*index), new) {
                *place = new;
            }
        }
        ([Segment::Key(key), rest @ ..], Value::Object(members)) => {
            if let Some(place) = members.get_mut(key) {
                put(place, rest, new);
            }
        }
        ([Segment::Index(index), rest @ ..], Value::Array(items)) => {
            if let Some(place) = items.get_mut(*index) {
                put(place, rest, new);
            }
        }
        _ => {}
    }
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

/// Rewrites serde's message for people who do not know Rust, as a path and what must be there.
fn describe(path: &str, message: &str) -> (String, String) {
    if let Some(field) = message.strip_prefix("missing field `").and_then(|rest| rest.strip_suffix('`')) {
        let dot = if path.is_empty() { "" } else { "." };
        return (format!("{path}{dot}{field}"), "is required".to_owned());
    }
    let path = if path.is_empty() { "body" } else { path };
    if let Some((_, allowed)) = message.split_once(", expected one of ") {
        return (path.to_owned(), format!("must be one of: {}", allowed.replace('`', "")));
    }
    if let Some((_, allowed)) =
        message.strip_prefix("unknown variant").and_then(|rest| rest.split_once(", expected "))
    {
        return (
            path.to_owned(),
            format!("must be one of: {}", allowed.replace('`', "").replace(" or ", ", ")),
        );
    }
    let Some((found, expected)) = message.rsplit_once(", expected ") else {
        return (path.to_owned(), message.to_owned());
    };
    let found = found.split_once(": ").map_or(found, |(_, found)| found).replace('`', "");
    let expected = match expected {
        "u64" | "u32" => "an integer of 0 or more",
        "a sequence" => "an array",
        "a map" => "an object",
        "a boolean" => "true or false",
        other if other.starts_with("struct ") => "an object",
        other => other,
    };
    (path.to_owned(), format!("must be {expected}, not {found}"))
}

#[cfg(test)]
mod tests {
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
        for body in ["", "{", "{\"items\": 5,", "{\"items\": \"\\ud800\"}", "[1]x", &deep, "\u{feff}{}"] {
            assert_eq!(fails(body).0, Code::MalformedBody, "{body:?}");
        }
        assert_eq!(parse::<Body>(b"{\"items\":\"\xff\"}").expect_err("bad UTF-8").code, Code::MalformedBody);
    }

    #[test]
    fn wrong_shapes_name_the_field_and_what_it_should_be() {
        let said = [
            ("[]", "body must be an object, not sequence"),
            ("{}", "items is required"),
            (r#"{"items":5}"#, "items must be an array, not integer 5"),
            (r#"{"items":[["a"]]}"#, "items[0] must be an object, not sequence"),
            (r#"{"items":[{}]}"#, "items[0].name is required"),
            (r#"{"items":[{"name":null}]}"#, "items[0].name must be a string, not null"),
            (r#"{"items":[{"name":"a","kind":"three"}]}"#, "items[0].kind must be one of: one, two"),
            (
                r#"{"items":[{"name":"a","count":-1}]}"#,
                "items[0].count must be an integer of 0 or more, not integer -1",
            ),
        ];
        for (body, message) in said {
            assert_eq!(fails(body), (Code::ValidationFailed, message.to_owned()), "{body}");
        }
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
    fn kinds_are_read() {
        let body: Body =
            parse(br#"{"items":[{"name":"a","kind":"one"},{"name":"b","kind":"two"}]}"#).expect("reads");
        assert!(
            matches!(body.items[0].kind, Some(Kind::One)) && matches!(body.items[1].kind, Some(Kind::Two))
        );
    }
}
