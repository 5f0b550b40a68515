//! An item of a batch: a request to one of the endpoints, under a name of the client's.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    Detail, Error,
    learning::judge::ValidDraft,
    money::amount::Amount,
    operations::{
        inference::{InferenceRequest, RoutePrice},
        moderation::{MixedInput, TextMessage},
    },
    people::api_key::Scope,
};

/// Maximum characters of a `custom_id`.
const MAX_CUSTOM_ID_CHARS: usize = 128;
/// The only method.
const METHOD: &str = "POST";

/// An item, as it is stored.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Item {
    pub(super) custom_id: String,
    pub(super) url: String,
    pub(super) body: Value,
    /// Milli-credits that are held for the rules in plain language of its policy, beside the price of its texts and
    /// pictures. Items without any are stored without the field.
    #[serde(default, skip_serializing_if = "is_zero")]
    surcharge: i64,
}

/// What an item asks for.
pub enum ItemRequest {
    Text(TextItem),
    /// Texts and pictures with one answer.
    Mixed(Box<MixedInput>),
    /// An inference, perhaps through a Judge.
    Inference(Box<ValidDraft>),
    /// An inference without a Judge, with its questions.
    Decision(Box<InferenceRequest>),
}

/// What items are charged for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ItemCounts {
    pub(super) texts: usize,
    pub(super) pictures: usize,
    /// Inferences at the usual price.
    pub(super) inferences: usize,
    /// What inferences by backends with prices of their own cost at most, and rules in plain language.
    pub(super) surcharge: Amount,
    /// Answers that may take seconds. They are not charged by this number.
    pub(super) slow: usize,
}

impl ItemCounts {
    pub(super) fn add(&mut self, other: Self) {
        self.texts += other.texts;
        self.pictures += other.pictures;
        self.inferences += other.inferences;
        self.slow += other.slow;
        let surcharge = self.surcharge.milli().saturating_add(other.surcharge.milli());
        self.surcharge = Amount::from_milli(surcharge);
    }
}

/// A message to moderate.
pub struct TextItem {
    pub message: TextMessage,
    pub explain: bool,
}

impl ItemRequest {
    /// What is charged for it at most. `route` is the price of an inference, and `rules` that of the rules in plain
    /// language of its policy.
    pub(super) fn counts(&self, route: RoutePrice, rules: Amount) -> ItemCounts {
        match self {
            ItemRequest::Text(_) => ItemCounts { texts: 1, surcharge: rules, ..ItemCounts::default() },
            ItemRequest::Mixed(input) => ItemCounts {
                texts: input.texts.len(),
                pictures: input.pictures.len(),
                surcharge: rules,
                ..ItemCounts::default()
            },
            ItemRequest::Inference(_) | ItemRequest::Decision(_) => {
                let RoutePrice { usual: inferences, fixed: surcharge, slow } = route;
                ItemCounts { inferences, surcharge, slow, ..ItemCounts::default() }
            }
        }
    }

    /// The texts that it moderates.
    pub(super) fn texts(&self) -> &[TextMessage] {
        match self {
            ItemRequest::Text(text) => std::slice::from_ref(&text.message),
            ItemRequest::Mixed(input) => &input.texts,
            ItemRequest::Inference(_) | ItemRequest::Decision(_) => &[],
        }
    }

    /// What an API key needs for it.
    pub(super) fn scope(&self) -> Scope {
        match self {
            ItemRequest::Text(_) | ItemRequest::Mixed(_) => Scope::Moderate,
            ItemRequest::Inference(_) | ItemRequest::Decision(_) => Scope::Infer,
        }
    }
}

impl Item {
    /// The item with what is held for it.
    pub(super) fn holding(self, counts: &ItemCounts) -> Self {
        let moderates = counts.texts > 0;
        Self { surcharge: if moderates { counts.surcharge.milli() } else { 0 }, ..self }
    }

    /// The most that is charged for moderating its texts and pictures, whose price is `usual`: its policy may have got
    /// more rules since the batch was submitted.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` for more than can be counted.
    pub(super) fn at_most(&self, usual: Amount) -> Result<Amount, Error> {
        usual.plus(Amount::from_milli(self.surcharge))
    }

    /// Reads an item from a client's JSON.
    ///
    /// # Errors
    /// Every field at fault.
    pub(super) fn parse(value: Value) -> Result<Self, Vec<Detail>> {
        let mut problems = Vec::new();
        let Value::Object(members) = value else {
            return Err(vec![problem("", "must be an object with custom_id, method, url and body")]);
        };
        let mut custom_id = None;
        let mut url = None;
        let mut body = None;
        for (name, value) in members {
            match (name.as_str(), value) {
                ("custom_id", Value::String(id)) if is_custom_id(&id) => custom_id = Some(id),
                ("custom_id", _) => {
                    let message = format!(
                        "must be a string of 1 to {MAX_CUSTOM_ID_CHARS} characters, without control characters"
                    );
                    problems.push(problem("custom_id", message));
                    custom_id = Some(String::new());
                }
                ("method", Value::String(method)) if method == METHOD => {}
                ("method", Value::Null) => {}
                ("method", _) => problems.push(problem("method", format!("must be {METHOD}"))),
                ("url", Value::String(path)) => url = Some(without_extra_slashes(path)),
                ("url", _) => {
                    problems.push(problem("url", "must be a string"));
                    url = Some(String::new());
                }
                ("body", Value::Object(members)) => body = Some(Value::Object(members)),
                ("body", _) => {
                    problems.push(problem("body", "must be an object"));
                    body = Some(Value::Null);
                }
                _ => {
                    let message = "is not a member of an item: custom_id, method, url, body";
                    problems.push(problem(&name, message));
                }
            }
        }
        for (name, missing) in
            [("custom_id", custom_id.is_none()), ("url", url.is_none()), ("body", body.is_none())]
        {
            if missing {
                problems.push(problem(name, "is required"));
            }
        }
        match (custom_id, url, body) {
            (Some(custom_id), Some(url), Some(body)) if problems.is_empty() => {
                Ok(Self { custom_id, url, body, surcharge: 0 })
            }
            _ => Err(problems),
        }
    }
}

fn is_zero(milli: &i64) -> bool {
    *milli == 0
}

fn problem(field: &str, message: impl Into<String>) -> Detail {
    Detail { field: field.to_owned(), message: message.into() }
}

fn is_custom_id(id: &str) -> bool {
    !id.trim().is_empty() && id.chars().count() <= MAX_CUSTOM_ID_CHARS && !id.chars().any(char::is_control)
}

/// The path without a slash at its end and doubled ones, as the API's routes take it.
fn without_extra_slashes(path: String) -> String {
    if !path.ends_with('/') && !path.contains("//") {
        return path;
    }
    path.split('/')
        .filter(|segment| !segment.is_empty())
        .fold(String::new(), |path, segment| path + "/" + segment)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The fields at fault.
    fn fields(value: Value) -> Vec<String> {
        let faults = Item::parse(value).err().unwrap_or_default();
        faults.into_iter().map(|fault| fault.field).collect()
    }

    #[test]
    fn extra_slashes_of_a_path_are_removed() {
        for (sent, taken) in [
            ("/api/v1/inference/", "/api/v1/inference"),
            ("//api//v1/inference", "/api/v1/inference"),
            ("/api/v1/inference", "/api/v1/inference"),
            ("//", ""),
        ] {
            assert_eq!(without_extra_slashes(sent.to_owned()), taken);
        }
    }

    #[test]
    fn every_fault_of_an_item_is_named() {
        let url = "/api/v1/moderate/text";
        assert!(fields(json!({ "custom_id": "a", "method": "POST", "url": url, "body": {} })).is_empty());
        assert_eq!(fields(json!([])), [""]);
        assert_eq!(fields(json!({})), ["custom_id", "url", "body"]);
        assert_eq!(
            fields(json!({ "custom_id": "\u{0}", "method": "GET", "url": 1, "body": [], "more": 1 })),
            ["custom_id", "method", "url", "body", "more"]
        );
        assert_eq!(fields(json!({ "custom_id": "x".repeat(129), "url": url, "body": {} })), ["custom_id"]);
    }
}
