//! The `input` of OpenAI's moderations: one text, several, or the parts of one message, pictures among them.

use domain::{
    Error, Result,
    operations::moderation::{MixedInput, Picture, TextDraft, TextMessage, image::ImageFetcher},
};
use ports::text::TextMode;
use serde_json::{Map, Value};

use super::shape::ModerationsRequest;
use crate::settings::ApiSettings;

/// Pictures of a request at most.
const MAX_PICTURES: usize = 10;

/// What is needed to read a request.
#[derive(Clone, Copy)]
pub(crate) struct InputRules<'a> {
    pub(crate) settings: &'a ApiSettings,
    pub(crate) fetcher: &'a dyn ImageFetcher,
}

/// The input as strings, each with its path in the body.
#[derive(Debug, Default)]
struct RawInput {
    texts: Vec<(String, String)>,
    /// URLs and data URIs.
    pictures: Vec<(String, String)>,
}

/// Reads a request, once its model name is checked.
///
/// # Errors
/// `VALIDATION_FAILED` or `INVALID_IMAGE` naming the path; `PAYLOAD_TOO_LARGE` for a picture.
pub(super) fn read(request: ModerationsRequest, rules: InputRules<'_>) -> Result<MixedInput> {
    let InputRules { settings, fetcher } = rules;
    let known = request.model.as_deref().is_none_or(|name| ["auto", "gavel-latest"].contains(&name));
    if settings.strict_model_names && !known {
        return Err(Error::invalid("model", "must be one of: auto, gavel-latest"));
    }
    let raw = raw(request.input, settings.batch_messages)?;
    let policy = request.policy.as_deref();
    let texts = raw.texts.into_iter().map(|(path, text)| message(&path, text, policy));
    let texts = texts.collect::<Result<_>>()?;
    let pictures = raw.pictures.into_iter();
    let pictures = pictures.map(|(path, uri)| Picture::parse(path, uri, fetcher, settings.image_bytes));
    Ok(MixedInput { texts, pictures: pictures.collect::<Result<_>>()? })
}

/// A message by an unknown author. The account's age is the default of Gavel's own route.
fn message(path: &str, content: String, policy: Option<&str>) -> Result<TextMessage> {
    let policy = policy.map(str::to_owned);
    let draft =
        TextDraft { content, account_age_days: 30, mode: TextMode::Hybrid, policy, ..TextDraft::default() };
    TextMessage::parse("", draft).map_err(|mut error| match error.details.pop() {
        Some(detail) if detail.field == "policy" => Error::invalid("policy", detail.message),
        Some(detail) => Error::invalid(path, detail.message),
        None => error,
    })
}

/// Takes the input apart; it may have at most `most` texts or parts.
fn raw(input: Value, most: usize) -> Result<RawInput> {
    let items = match input {
        Value::String(text) => {
            return Ok(RawInput { texts: vec![("input".to_owned(), text)], ..RawInput::default() });
        }
        Value::Array(items) => items,
        _ => return Err(Error::invalid("input", "must be a string, or an array of strings or of parts")),
    };
    let count = items.len();
    if !(1..=most).contains(&count) {
        return Err(Error::invalid("input", format!("must have 1 to {most} items, not {count}")));
    }
    if items.iter().any(Value::is_object) {
        return parts(items);
    }
    let texts = items.into_iter().enumerate().map(|(index, item)| match item {
        Value::String(text) => Ok((format!("input[{index}]"), text)),
        _ => Err(Error::invalid(format!("input[{index}]"), "must be a string or a part")),
    });
    Ok(RawInput { texts: texts.collect::<Result<_>>()?, ..RawInput::default() })
}

/// Reads the parts of one message. Its texts are one text.
fn parts(items: Vec<Value>) -> Result<RawInput> {
    let mut texts: Vec<String> = Vec::new();
    let mut pictures = Vec::new();
    for (index, item) in items.into_iter().enumerate() {
        let path = format!("input[{index}]");
        let Value::Object(mut part) = item else {
            return Err(Error::invalid(path, "must be a part, like the other items"));
        };
        match part.get("type").and_then(Value::as_str) {
            Some("text") => match part.remove("text") {
                Some(Value::String(text)) => texts.push(text),
                _ => return Err(Error::invalid(format!("{path}.text"), "must be a string")),
            },
            Some("image_url") => pictures.push(picture(&path, part)?),
            _ => return Err(Error::invalid(format!("{path}.type"), "must be one of: text, image_url")),
        }
    }
    if pictures.len() > MAX_PICTURES {
        let message = format!("must have at most {MAX_PICTURES} pictures, not {}", pictures.len());
        return Err(Error::invalid("input", message));
    }
    let text = (!texts.is_empty()).then(|| ("input".to_owned(), texts.join("\n")));
    Ok(RawInput { texts: text.into_iter().collect(), pictures })
}

/// The URL of a picture and its path.
fn picture(path: &str, mut part: Map<String, Value>) -> Result<(String, String)> {
    let path = format!("{path}.image_url");
    let Some(Value::Object(mut image)) = part.remove("image_url") else {
        return Err(Error::invalid(path, "must be an object with `url`"));
    };
    let path = format!("{path}.url");
    match image.remove("url") {
        Some(Value::String(uri)) => Ok((path, uri)),
        _ => Err(Error::invalid(path, "must be a string: an http or https URL, or a data URI")),
    }
}
