//! A client's own strings that come with a batch.

use serde_json::{Map, Value};

use crate::{Error, Result};

/// Maximum pairs of metadata, and maximum characters of their names and values.
const PAIRS: usize = 16;
const NAME_CHARS: usize = 64;
const VALUE_CHARS: usize = 512;

/// The metadata in a body.
///
/// # Errors
/// `VALIDATION_FAILED` naming `metadata`.
pub(super) fn metadata_of(given: Value) -> Result<Map<String, Value>> {
    match given {
        Value::Null => Ok(Map::new()),
        Value::Object(metadata) => check_metadata(&metadata).map(|()| metadata),
        _ => Err(Error::invalid("metadata", "must be an object of strings")),
    }
}

/// Checks a client's own strings.
///
/// # Errors
/// `VALIDATION_FAILED` naming `metadata`.
pub fn check_metadata(metadata: &Map<String, Value>) -> Result<()> {
    if is_metadata(metadata) {
        return Ok(());
    }
    let message = format!(
        "must have at most {PAIRS} strings, with names of up to {NAME_CHARS} characters and values \
         of up to {VALUE_CHARS}"
    );
    Err(Error::invalid("metadata", message))
}

fn is_metadata(metadata: &Map<String, Value>) -> bool {
    metadata.len() <= PAIRS
        && metadata.iter().all(|(name, value)| {
            is_text(name, NAME_CHARS) && value.as_str().is_some_and(|value| is_text(value, VALUE_CHARS))
        })
}

fn is_text(text: &str, most_chars: usize) -> bool {
    text.chars().count() <= most_chars && !text.contains('\0')
}
