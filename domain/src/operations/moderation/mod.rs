//! Moderation of text, and of images in [`image`]: model scores and message signals become a verdict. Only
//! `moderate`, `mixed`, `policies` and `channel` do more than compute.

pub mod channel;
mod conversation;
mod escalate;
pub mod image;
mod known_hosts;
mod lexicon;
mod message;
mod mixed;
mod moderate;
mod names;
mod odds;
mod personal_data;
pub mod plain_rules;
pub mod policies;
mod policy;
mod rules;
mod scoring;
mod severity;
mod shadow;
mod signals;
mod subject;
mod verdict;
mod verdict_log;

pub use conversation::{ContextMessage, ConversationTurn, MAX_CONTEXT_BYTES, MAX_CONTEXT_MESSAGES};
pub use escalate::Escalation;
pub use message::{MAX_CONTENT_CHARS, TextDraft, TextMessage};
pub(crate) use mixed::UnpaidMixed;
pub use mixed::{MixedInput, MixedModeration, MixedPrices, ModeratedMixed, Picture};
pub(crate) use moderate::UnpaidTexts;
pub use moderate::{Moderated, TextModeration, evaluate};
pub use personal_data::{
    DoxxingCue, DoxxingCues, LikelyPersonalData, PersonalData, PersonalDataKind, doxxing_cues,
    find as find_personal_data, redact,
};
pub use policy::{decide, link_evidence};
pub use rules::{ExampleCount, RuleAnswer, RuleCorrection, RuleExample, RuleSet, Rules};
pub use severity::Severity;
pub use shadow::ShadowVerdict;
pub use signals::{LinkSignals, Signal, Signals, read};
pub use verdict::{Action, ActionProbabilities, Explanation, PolicyRef, SecondOpinion, Verdict};
pub use verdict_log::{RecordedPicture, RecordedVerdict, VerdictLog, VerdictLogs};
