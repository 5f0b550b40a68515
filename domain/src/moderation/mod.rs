//! Moderation. Text, here: a message in, a verdict out; `moderate` is the whole line, the rest is pure. Pictures: `image`.

mod category;
mod escalate;
pub mod image;
mod known_hosts;
pub mod links;
mod message;
mod moderate;
mod policy;
mod signals;
mod tld;
mod verdict;

pub use category::{Categories, Category};
pub use escalate::Escalation;
pub use message::{MAX_CONTENT_CHARS, Mode, TextDraft, TextMessage};
pub use moderate::{Moderated, judge, moderate};
pub use policy::{decide, link_evidence};
pub use signals::{LinkSignals, Signal, Signals, read};
pub use verdict::{Action, ActionProbabilities, Explanation, Verdict};
