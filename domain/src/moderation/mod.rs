//! Moderation of text, and of images in [`image`]: model scores and message signals become a verdict. Only
//! `moderate`, `policies` and `channel` do more than compute.

mod category;
pub mod channel;
mod disguise;
mod escalate;
pub mod image;
mod known_hosts;
pub mod links;
mod message;
mod moderate;
pub mod policies;
mod policy;
mod rules;
pub mod scripts;
mod signals;
mod text_engine;
mod tld;
mod verdict;
mod verdict_log;

pub use category::{Categories, Category};
pub use disguise::{is_invisible, unleet};
pub use escalate::Escalation;
pub use message::{MAX_CONTENT_CHARS, Mode, TextDraft, TextMessage};
pub use moderate::{Moderated, TextModeration, evaluate};
pub use policy::{decide, link_evidence};
pub use rules::{RuleSet, Rules};
pub use signals::{LinkSignals, Signal, Signals, read};
pub use text_engine::{DomainScore, Evidence, TextEngine, TextExplanation, TextFault, TextInput, TextScores};
pub use verdict::{Action, ActionProbabilities, Explanation, PolicyRef, Verdict};
pub use verdict_log::{RecordedVerdict, VerdictLog, VerdictLogs};
