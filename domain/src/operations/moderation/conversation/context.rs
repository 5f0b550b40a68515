//! The messages before a message, as a client sends them.

use chrono::{DateTime, TimeDelta, Utc};
use serde::Serialize;

use crate::{Detail, operations::moderation::names::name_faults};

/// Maximum number of messages before one.
pub const MAX_CONTEXT_MESSAGES: usize = 20;
/// Maximum bytes of their contents together.
pub const MAX_CONTEXT_BYTES: usize = 8 * 1024;
/// How far the client's clock may be ahead.
const CLOCK_SKEW: TimeDelta = TimeDelta::minutes(5);

/// A message before the one that is moderated.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ContextMessage {
    /// Its author's name, if the request gives one; the moderated message's if it is the same person's.
    pub author: Option<String>,
    pub content: String,
    /// When it was written, if the request says so.
    pub at: Option<DateTime<Utc>>,
}

/// What is wrong with the messages before one: their number or size, a blank one, a NUL, an author's name that is too
/// long, times that go back or lie in the future.
pub(in crate::operations::moderation) fn faults(
    context: &[ContextMessage],
    now: DateTime<Utc>,
) -> Vec<Detail> {
    let mut faults = Vec::new();
    let count = context.len();
    if count > MAX_CONTEXT_MESSAGES {
        faults.push(fault("context", format!("must have at most {MAX_CONTEXT_MESSAGES} items, not {count}")));
    }
    let bytes: usize = context.iter().map(|message| message.content.len()).sum();
    if bytes > MAX_CONTEXT_BYTES {
        let message = format!("must have at most {MAX_CONTEXT_BYTES} bytes of content together, not {bytes}");
        faults.push(fault("context", message));
    }
    let mut last = None;
    for (at, message) in context.iter().enumerate().take(MAX_CONTEXT_MESSAGES) {
        let content = format!("context[{at}].content");
        if message.content.trim().is_empty() {
            faults.push(fault(&content, "must not be empty"));
        } else if message.content.contains('\0') {
            faults.push(fault(&content, "must not contain a NUL character"));
        }
        if let Some(author) = &message.author {
            faults.extend(name_faults(&format!("context[{at}].author"), author));
        }
        let Some(time) = message.at else { continue };
        let field = format!("context[{at}].at");
        if time > now + CLOCK_SKEW {
            faults.push(fault(&field, "must not be in the future"));
        } else if last.is_some_and(|last| time < last) {
            let message =
                "must not be earlier than that of a message before it; the oldest message comes first";
            faults.push(fault(&field, message));
        }
        last = last.max(Some(time));
    }
    faults
}

fn fault(field: &str, message: impl Into<String>) -> Detail {
    Detail { field: field.to_owned(), message: message.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(content: &str, minutes_ago: Option<i64>) -> ContextMessage {
        let at = minutes_ago.map(|minutes| now() - TimeDelta::minutes(minutes));
        ContextMessage { author: Some("ann".to_owned()), content: content.to_owned(), at }
    }

    fn now() -> DateTime<Utc> {
        DateTime::from_timestamp(1_800_000_000, 0).unwrap()
    }

    fn fields(context: &[ContextMessage]) -> Vec<String> {
        faults(context, now()).into_iter().map(|fault| fault.field).collect()
    }

    #[test]
    fn each_fault_is_named() {
        let fine =
            [said("hi", None), said("hello", Some(2)), said("how are you", None), said("fine", Some(-4))];
        assert!(fields(&fine).is_empty());
        assert!(fields(&vec![said("x", None); 20]).is_empty());
        assert_eq!(fields(&vec![said("x", None); 21]), ["context"]);
        assert!(fields(&[said(&"x".repeat(8_192), None)]).is_empty());
        assert_eq!(fields(&[said(&"x".repeat(4_097), None), said(&"x".repeat(4_096), None)]), ["context"]);
        assert_eq!(
            fields(&[said(" ", None), said("a\0", None)]),
            ["context[0].content", "context[1].content"]
        );
        assert_eq!(fields(&[said("x", Some(5)), said("x", Some(6))]), ["context[1].at"]);
        assert_eq!(fields(&[said("x", Some(-6))]), ["context[0].at"]);
        let long = ContextMessage { author: Some("a".repeat(257)), ..said("x", None) };
        assert_eq!(fields(&[long]), ["context[0].author"]);
    }
}
