//! A validated message: parsed once at the edge, valid from then on.

use ports::text::TextMode;
use serde::{Serialize, Serializer};

use super::policies;
use crate::{Detail, Error, Result};
use ports::id::PolicyId;

/// Characters (Unicode scalar values) of a message, at most.
pub const MAX_CONTENT_CHARS: usize = 10_000;
/// Characters of an author and of a channel, at most.
const MAX_NAME_CHARS: usize = 256;

/// Stands for an author that a request does not give.
const DEFAULT_AUTHOR: &str = "user#0001";
/// Stands for a channel that a request does not give.
const DEFAULT_CHANNEL: &str = "#general";

/// One message of a request, of the right types but with values not yet validated. It is serialised only to be hashed for
/// an `Idempotency-Key`; the bytes stay the same from version to version, so that a retry is recognised across an update.
#[derive(Clone, Debug, Default, Serialize)]
pub struct TextDraft {
    pub content: String,
    /// The author's name, if the request gives one.
    #[serde(serialize_with = "author_or_default")]
    pub author: Option<String>,
    /// The channel's name, if the request gives one.
    #[serde(serialize_with = "channel_or_default")]
    pub channel: Option<String>,
    /// Age of the author's account in days.
    pub account_age_days: u64,
    /// User and role mentions in the message.
    pub mentions_count: u64,
    pub has_attachments: bool,
    pub mode: TextMode,
    /// The name or id of the policy that decides. Requests without one are serialised without the field.
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
        let author = draft.author.as_deref().unwrap_or_default();
        let channel = draft.channel.as_deref().unwrap_or_default();
        for (field, value) in [("content", draft.content.as_str()), ("author", author), ("channel", channel)]
        {
            if value.contains('\0') {
                fault(field, "must not hold a NUL character".to_owned());
            }
        }
        for (field, value) in [("author", author), ("channel", channel)] {
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

    /// The author, unless the name is blank, as many clients leave it out.
    pub(crate) fn named_author(&self) -> Option<&str> {
        named(self.author.as_deref())
    }

    /// The channel, unless the name is blank, as many clients leave it out.
    pub(crate) fn named_channel(&self) -> Option<&str> {
        named(self.channel.as_deref())
    }

    /// The message with a policy, if it names none of its own.
    pub fn or_policy(mut self, policy: Option<&PolicyId>) -> Self {
        self.0.policy = self.0.policy.or_else(|| policy.map(PolicyId::to_string));
        self
    }
}

fn named(name: Option<&str>) -> Option<&str> {
    name.filter(|name| !name.trim().is_empty())
}

fn author_or_default<S: Serializer>(author: &Option<String>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(author.as_deref().unwrap_or(DEFAULT_AUTHOR))
}

fn channel_or_default<S: Serializer>(channel: &Option<String>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(channel.as_deref().unwrap_or(DEFAULT_CHANNEL))
}

impl std::ops::Deref for TextMessage {
    type Target = TextDraft;

    fn deref(&self) -> &TextDraft {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_serialised_form_is_that_of_earlier_versions() {
        let draft = TextDraft { content: "hello".to_owned(), account_age_days: 30, ..TextDraft::default() };
        let named =
            TextDraft { author: Some("ann".to_owned()), channel: Some(String::new()), ..draft.clone() };
        for (draft, author, channel) in [(draft, "user#0001", "#general"), (named, "ann", "")] {
            let expected = format!(
                r#"{{"content":"hello","author":"{author}","channel":"{channel}","account_age_days":30,"mentions_count":0,"has_attachments":false,"mode":"Hybrid"}}"#
            );
            assert_eq!(serde_json::to_string(&draft).unwrap(), expected);
        }
    }

    #[test]
    fn a_blank_name_is_none() {
        let draft = TextDraft {
            content: "hello".to_owned(),
            author: Some("ann".to_owned()),
            channel: Some(" ".to_owned()),
            ..TextDraft::default()
        };
        let message = TextMessage::parse("", draft).unwrap();
        assert_eq!((message.named_author(), message.named_channel()), (Some("ann"), None));
    }
}
