//! The rules of a moderation policy: read from JSON, compiled, and applied to a message. Pure; every search takes time
//! linear in the message.

mod action;
mod answer;
mod applied;
mod compiled;
mod correction;
mod definition;
mod fold;
mod personal_data;
mod phrases;
mod plain;

pub use answer::RuleAnswer;
pub use applied::Applied;
pub use compiled::Rules;
pub use correction::{ExampleCount, RuleCorrection, RuleExample};
pub use definition::RuleSet;
pub(super) use fold::folded_words;
pub use plain::{Examples, PlainRule};
