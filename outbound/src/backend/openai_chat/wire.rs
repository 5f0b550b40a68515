//! OpenAI's chat completions, as far as they are needed.

use serde::{Deserialize, Deserializer, de::Error as _};
use serde_json::Value;

/// The response.
#[derive(Debug, Deserialize)]
pub(super) struct ChatReply {
    /// The exact name of the model that answered.
    #[serde(deserialize_with = "name")]
    pub(super) model: String,
    pub(super) choices: Vec<ChatChoice>,
    #[serde(default)]
    pub(super) usage: Option<ChatUsage>,
}

#[derive(Debug, Deserialize)]
pub(super) struct ChatChoice {
    pub(super) message: ChatMessage,
    #[serde(default)]
    pub(super) finish_reason: Option<String>,
    #[serde(default)]
    pub(super) logprobs: Option<ChatLogprobs>,
}

#[derive(Debug, Deserialize)]
pub(super) struct ChatMessage {
    /// Text, or parts of text.
    #[serde(default)]
    content: Value,
    #[serde(default)]
    refusal: Option<String>,
    #[serde(default)]
    tool_calls: Option<Vec<Value>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct ChatLogprobs {
    #[serde(default)]
    pub(super) content: Option<Vec<ChatToken>>,
}

/// A token of the answer, and those that were as probable.
#[derive(Debug, Deserialize)]
pub(super) struct ChatToken {
    token: String,
    #[serde(default)]
    bytes: Option<Vec<u8>>,
    #[serde(default)]
    pub(super) top_logprobs: Vec<TopToken>,
}

#[derive(Debug, Deserialize)]
pub(super) struct TopToken {
    token: String,
    #[serde(default)]
    bytes: Option<Vec<u8>>,
    pub(super) logprob: Option<f64>,
}

/// The usage; null where the server does not know it.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ChatUsage {
    pub(super) prompt_tokens: Option<u64>,
    pub(super) completion_tokens: Option<u64>,
    /// In US dollars; only some gateways send it.
    pub(super) cost: Option<f64>,
}

impl ChatToken {
    pub(super) fn text(&self) -> String {
        text_of(&self.token, self.bytes.as_deref())
    }
}

impl TopToken {
    pub(super) fn text(&self) -> String {
        text_of(&self.token, self.bytes.as_deref())
    }
}

impl ChatMessage {
    pub(super) fn text(&self) -> String {
        match &self.content {
            Value::String(text) => text.clone(),
            Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
            _ => String::new(),
        }
    }

    /// Why this is no answer, if it is none; completes the sentence "the backend ..".
    pub(super) fn fault(&self) -> Option<&'static str> {
        if self.refusal.as_ref().is_some_and(|refusal| !refusal.is_empty()) {
            return Some("refused to answer");
        }
        self.tool_calls.as_ref().is_some_and(|calls| !calls.is_empty()).then_some("answered with a tool call")
    }
}

/// The text of a token. Its bytes are exact where the text is not valid by itself.
fn text_of(token: &str, bytes: Option<&[u8]>) -> String {
    match bytes {
        Some(bytes) if !bytes.is_empty() => String::from_utf8_lossy(bytes).into_owned(),
        _ => token.to_owned(),
    }
}

/// A model's name, which must not be blank and must be storable in every database.
fn name<'de, D: Deserializer<'de>>(value: D) -> Result<String, D::Error> {
    let name = String::deserialize(value)?;
    let fits = !name.trim().is_empty() && !name.contains('\0');
    fits.then_some(name).ok_or_else(|| D::Error::custom("not a model name"))
}
