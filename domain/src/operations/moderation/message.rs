//! A validated message: parsed once at the edge, valid from then on.

use ports::text::TextMode;
use serde::{Serialize, Serializer};

use chrono::Utc;

use super::{
    conversation::{self, ContextMessage},
    names::{MAX_NAME_CHARS, named},
    policies,
};
use crate::{Detail, Error, Result};
use ports::id::PolicyId;

/// Maximum length of a message in characters (Unicode scalar values).
pub const MAX_CONTENT_CHARS: usize = 10_000;
/// Maximum length of a channel's topic in characters; that of Discord.
const MAX_TOPIC_CHARS: usize = 1_024;

/// Stands for an author that a request does not give.
const DEFAULT_AUTHOR: &str = "user#0001";
/// Stands for a channel that a request does not give.
const DEFAULT_CHANNEL: &str = "#general";

/// One message of a request, of the right types but with values not yet validated. It is only serialised to be hashed
/// for an `Idempotency-Key`: an author or a channel that is left out is the same as its default.
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
    /// The name or id of the policy that decides.
    pub policy: Option<String>,
    /// Whether the answer shows the message without personal data.
    pub redact: bool,
    /// The channel's name, where `channel` is an id.
    pub channel_name: Option<String>,
    /// What the channel is about.
    pub channel_topic: Option<String>,
    /// The messages before it, the oldest first.
    pub context: Vec<ContextMessage>,
}

impl TextDraft {
    /// The fields at fault, each with what is wrong.
    fn faults(&self) -> Vec<(&'static str, String)> {
        let mut faults = Vec::new();
        let chars = self.content.chars().count();
        if self.content.trim().is_empty() {
            faults.push(("content", "must not be empty".to_owned()));
        } else if chars > MAX_CONTENT_CHARS {
            let message = format!("must be at most {MAX_CONTENT_CHARS} characters long, not {chars}");
            faults.push(("content", message));
        }
        let author = self.author.as_deref().unwrap_or_default();
        let channel = self.channel.as_deref().unwrap_or_default();
        let name = self.channel_name.as_deref().unwrap_or_default();
        let topic = self.channel_topic.as_deref().unwrap_or_default();
        let names =
            [("author", author), ("channel", channel), ("channel_name", name), ("channel_topic", topic)];
        for (field, value) in [("content", self.content.as_str())].into_iter().chain(names) {
            if value.contains('\0') {
                faults.push((field, "must not contain a NUL character".to_owned()));
            }
        }
        for (field, value) in names {
            let most = if field == "channel_topic" { MAX_TOPIC_CHARS } else { MAX_NAME_CHARS };
            let chars = value.chars().count();
            if chars > most {
                faults.push((field, format!("must be at most {most} characters long, not {chars}")));
            }
        }
        if self.policy.as_ref().is_some_and(|name| !policies::is_selector(name)) {
            faults.push(("policy", "must be the name or the id of a moderation policy".to_owned()));
        }
        faults
    }
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
        let own = draft.faults().into_iter();
        let own = own.map(|(field, message)| Detail { field: field.to_owned(), message });
        let faults: Vec<Detail> = own.chain(conversation::faults(&draft.context, Utc::now())).collect();
        if faults.is_empty() {
            return Ok(Self(draft));
        }
        let named =
            faults.into_iter().map(|fault| Detail { field: format!("{path}{}", fault.field), ..fault });
        Err(Error::all_invalid(named.collect()))
    }

    /// The author, unless the name is blank, as many clients leave it out.
    pub(crate) fn named_author(&self) -> Option<&str> {
        named(self.author.as_deref())
    }

    /// The channel, unless the name is blank, as many clients leave it out.
    pub(crate) fn named_channel(&self) -> Option<&str> {
        named(self.channel.as_deref())
    }

    /// The channel's name as people see it: `channel`, unless that is an id beside a name.
    pub(crate) fn shown_channel(&self) -> Option<&str> {
        named(self.channel_name.as_deref()).or_else(|| self.named_channel())
    }

    /// What the channel is about, unless it is blank.
    pub(crate) fn topic(&self) -> Option<&str> {
        named(self.channel_topic.as_deref())
    }

    /// The message with a policy, if it names none of its own.
    pub fn or_policy(mut self, policy: Option<&PolicyId>) -> Self {
        self.0.policy = self.0.policy.or_else(|| policy.map(PolicyId::to_string));
        self
    }
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
