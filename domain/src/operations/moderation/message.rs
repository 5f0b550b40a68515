//! A validated message: parsed once at the edge, valid from then on.

use ports::text::TextMode;
use serde::Serialize;

use super::policies;
use crate::{Detail, Error, Result};
use ports::id::PolicyId;

/// Characters (Unicode scalar values) of a message, at most.
pub const MAX_CONTENT_CHARS: usize = 10_000;
/// Characters of an author and of a channel, at most.
const MAX_NAME_CHARS: usize = 256;

/// One message of a request, of the right types but with values not yet validated.
#[derive(Clone, Debug, Default, Serialize)]
pub struct TextDraft {
    pub content: String,
    pub author: String,
    pub channel: String,
    /// Age of the author's account in days.
    pub account_age_days: u64,
    /// User and role mentions in the message.
    pub mentions_count: u64,
    pub has_attachments: bool,
    pub mode: TextMode,
    /// Whether the request names the author, and the channel: the defaults are nobody's.
    #[serde(skip)]
    pub has_author: bool,
    #[serde(skip)]
    pub has_channel: bool,
    /// The name or id of the policy that decides; none for none. Requests without one are hashed as they always were.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy: Option<String>,
}

/// A validated message.
#[derive(Clone, Debug, Serialize)]
pub struct TextMessage(TextDraft);

impl TextMessage {
    /// Validates a draft. `path` is its position in the body: empty, or such as `messages[3].`.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` naming every field at fault: blank or over-long content, a NUL in any string.
    pub fn parse(path: &str, draft: TextDraft) -> Result<Self> {
        let mut details = Vec::new();
        let mut fault = |field: &str, message: String| {
            details.push(Detail { field: format!("{path}{field}"), message });
        };
        let chars = draft.content.chars().count();
        if draft.content.trim().is_empty() {
            fault("content", "must not be empty".to_owned());
        } else if chars > MAX_CONTENT_CHARS {
            fault("content", format!("must be at most {MAX_CONTENT_CHARS} characters long, not {chars}"));
        }
        for (field, value) in
            [("content", &draft.content), ("author", &draft.author), ("channel", &draft.channel)]
        {
            if value.contains('\0') {
                fault(field, "must not hold a NUL character".to_owned());
            }
        }
        for (field, value) in [("author", &draft.author), ("channel", &draft.channel)] {
            let chars = value.chars().count();
            if chars > MAX_NAME_CHARS {
                fault(field, format!("must be at most {MAX_NAME_CHARS} characters long, not {chars}"));
            }
        }
        if draft.policy.as_ref().is_some_and(|name| !policies::is_selector(name)) {
            fault("policy", "must be the name or the id of a moderation policy".to_owned());
        }
        if details.is_empty() { Ok(Self(draft)) } else { Err(Error::all_invalid(details)) }
    }
}

impl TextMessage {
    /// The message with a policy, if it names none of its own.
    pub fn or_policy(mut self, policy: Option<&PolicyId>) -> Self {
        self.0.policy = self.0.policy.or_else(|| policy.map(PolicyId::to_string));
        self
    }
}

impl std::ops::Deref for TextMessage {
    type Target = TextDraft;

    fn deref(&self) -> &TextDraft {
        &self.0
    }
}
