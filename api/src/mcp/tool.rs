//! The tools: what agents read of them, and the route that each calls.

use domain::{Error, Result};
use rmcp::model::{Tool, ToolAnnotations};
use serde_json::{Map, Value, json};
use strum::{EnumIter, EnumString, IntoEnumIterator as _, IntoStaticStr};

use super::input_schema::{ApiSchemas, Members};
use crate::rest::{feedback, image, inference, text};

/// The argument that is sent as the header `Idempotency-Key`.
const IDEMPOTENCY_KEY: &str = "idempotency_key";

/// A tool. Its name is the variant's in snake case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumIter, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum McpTool {
    ModerateText,
    ModerateImage,
    Decide,
    AskJudge,
    SubmitFeedback,
}

/// What a call sends to its route.
pub(super) struct ToolRequest {
    /// The body, as JSON.
    pub(super) body: String,
    pub(super) idempotency_key: Option<String>,
}

impl McpTool {
    /// The tool of this name.
    pub(super) fn named(name: &str) -> Option<Self> {
        name.parse().ok()
    }

    /// The names of all tools.
    pub(super) fn names() -> impl Iterator<Item = &'static str> {
        Self::iter().map(Self::name)
    }

    pub(super) fn name(self) -> &'static str {
        self.into()
    }

    /// The paths that all tools call.
    pub(crate) fn paths() -> Vec<&'static str> {
        Self::iter().map(Self::path).collect()
    }

    /// The path that a call is sent to, by `POST`.
    pub(super) fn path(self) -> &'static str {
        match self {
            Self::ModerateText => text::ENDPOINT,
            Self::ModerateImage => image::ENDPOINT,
            Self::Decide | Self::AskJudge => inference::ENDPOINT,
            Self::SubmitFeedback => feedback::ENDPOINT,
        }
    }

    /// Whether success is charged.
    fn is_paid(self) -> bool {
        self != Self::SubmitFeedback
    }

    /// The tool as clients list it.
    pub(super) fn describe(self, schemas: &ApiSchemas) -> Tool {
        let mut properties = schemas.properties(self.members());
        if self.is_paid() {
            properties.insert(IDEMPOTENCY_KEY.to_owned(), idempotency_key_schema());
        }
        let annotations = ToolAnnotations::new()
            .read_only(false)
            .destructive(false)
            .idempotent(false)
            .open_world(self == Self::ModerateImage);
        Tool::new(self.name(), self.description(), schemas.object(properties, self.required()))
            .with_title(self.title())
            .with_annotations(annotations)
    }

    /// The request of a call with `arguments`.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` for arguments that the tool alone requires or takes.
    pub(super) fn request(self, mut arguments: Map<String, Value>) -> Result<ToolRequest> {
        if self == Self::AskJudge && arguments.get("judge_id").is_none_or(Value::is_null) {
            return Err(Error::invalid("judge_id", "is required"));
        }
        let idempotency_key = match arguments.remove(IDEMPOTENCY_KEY) {
            None | Some(Value::Null) => None,
            Some(Value::String(key)) => Some(key),
            Some(_) => return Err(Error::invalid(IDEMPOTENCY_KEY, "must be a string")),
        };
        Ok(ToolRequest { body: Value::Object(arguments).to_string(), idempotency_key })
    }

    fn title(self) -> &'static str {
        match self {
            Self::ModerateText => "Moderate a message",
            Self::ModerateImage => "Moderate a picture",
            Self::Decide => "Answer questions about a state",
            Self::AskJudge => "Ask a Judge",
            Self::SubmitFeedback => "Correct a verdict",
        }
    }

    fn description(self) -> &'static str {
        match self {
            Self::ModerateText => {
                "Says whether a message breaks a community's rules: the recommended action (ban, timeout, warn or \
                 none) with probabilities. With `explain`, the harms and the words that counted; with `redact`, the \
                 message without personal data. Costs the price of one message."
            }
            Self::ModerateImage => {
                "Says whether a picture is sexual or shows a minor. Give exactly one of `image_url`, for a picture \
                 that anybody can download, and `image_base64`. Costs the price of one picture."
            }
            Self::Decide => {
                "Answers typed questions about any text or JSON with calibrated probabilities: yes or no, a choice \
                 of options, or a score of levels. Costs the price of one inference, however many questions."
            }
            Self::AskJudge => {
                "Answers the questions that a Judge has stored, about any text or JSON, and records request and \
                 answer in its dataset if it stores content. Costs the price of one inference."
            }
            Self::SubmitFeedback => {
                "Tells what the right verdict on a message or a picture would have been, by the `id` of the verdict. \
                 Give `action` or `categories`. Free; needs the account's moderation log."
            }
        }
    }

    fn members(self) -> &'static [Members] {
        match self {
            Self::ModerateText => &[Members {
                of: "TextModerationRequest",
                names: &[
                    "content",
                    "author",
                    "channel",
                    "context",
                    "account_age_days",
                    "mentions_count",
                    "has_attachments",
                    "mode",
                    "policy",
                    "explain",
                    "redact",
                ],
            }],
            Self::ModerateImage => &[
                Members { of: "ImageByUrl", names: &["image_url", "author", "channel"] },
                Members { of: "ImageInBase64", names: &["image_base64"] },
            ],
            Self::Decide => &[Members {
                of: "CustomInferenceRequest",
                names: &["state", "instructions", "mode", "parameters", "backend", "model"],
            }],
            Self::AskJudge => {
                &[Members { of: "CustomInferenceRequest", names: &["judge_id", "state", "parameters"] }]
            }
            Self::SubmitFeedback => &[Members {
                of: "FeedbackRequest",
                names: &["id", "action", "categories", "note", "overwrite"],
            }],
        }
    }

    /// The arguments without which no call succeeds.
    fn required(self) -> &'static [&'static str] {
        match self {
            Self::ModerateText => &["content"],
            Self::ModerateImage => &[],
            Self::Decide => &["state", "instructions"],
            Self::AskJudge => &["judge_id", "state"],
            Self::SubmitFeedback => &["id"],
        }
    }
}

fn idempotency_key_schema() -> Value {
    json!({
        "type": ["string", "null"],
        "minLength": 1,
        "maxLength": 255,
        "pattern": "^[!-~]+$",
        "description": "A name for this call, of your choice. The same name and arguments within 24 hours are \
                        charged once and get the same answer.",
    })
}
