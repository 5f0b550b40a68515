//! The verdict of moderation on one message.

use serde::{Deserialize, Serialize};

use super::{LikelyPersonalData, Severity, Signal, rules::RuleAnswer};
use crate::operations::inference::StepOutcome;
use ports::id::PolicyId;
use ports::text::Categories;

/// The recommended action, mildest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// Leave the message.
    None,
    /// Warn the author.
    Warn,
    /// Silence the author for a while.
    Timeout,
    /// Remove the author.
    Ban,
}

impl Action {
    /// All actions, mildest first.
    pub const ALL: [Action; 4] = [Action::None, Action::Warn, Action::Timeout, Action::Ban];

    /// The name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Action::None => "none",
            Action::Warn => "warn",
            Action::Timeout => "timeout",
            Action::Ban => "ban",
        }
    }
}

/// A probability for each action; they sum to 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ActionProbabilities {
    pub ban: f64,
    pub timeout: f64,
    pub warn: f64,
    pub none: f64,
}

impl ActionProbabilities {
    /// The probability of an action.
    pub fn of(&self, action: Action) -> f64 {
        match action {
            Action::None => self.none,
            Action::Warn => self.warn,
            Action::Timeout => self.timeout,
            Action::Ban => self.ban,
        }
    }
}

/// The verdict on one message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// The most probable action.
    pub action: Action,
    /// Severity without an upper bound: 0 for nothing, about 1 where `warn` begins.
    pub threat_score: f64,
    /// Probability of phishing or scam, 0 to 1.
    pub is_phishing_or_scam: f64,
    /// Probability that a moderator would want to see the message, 0 to 1.
    pub requires_mod_review: f64,
    pub action_probabilities: ActionProbabilities,
    /// Calibrated probability of each category; links count towards a scam's. Not part of a stored answer.
    #[serde(skip)]
    pub categories: Categories,
    /// The explanation; only on request.
    pub explanation: Option<Explanation>,
    /// Name and version of the model that decided.
    pub model: String,
    /// The policy whose rules decided; none without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<PolicyRef>,
}

/// The version of a policy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PolicyRef {
    pub id: PolicyId,
    /// The policy's name when it decided.
    pub name: String,
    pub version: i32,
}

/// The evidence behind a verdict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Explanation {
    /// Calibrated probability of each category.
    pub categories: Categories,
    /// How severe the abuse is.
    pub severity: Severity,
    /// Signals, heaviest first.
    pub signals: Vec<Signal>,
    /// The personal data in the message, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub personal_data: Vec<LikelyPersonalData>,
    /// The text after undoing disguises.
    pub normalized_text: String,
    /// The detected language as a BCP 47 tag; `und` when none was detected.
    pub language: String,
    /// Whether the author seems to be in a crisis and needs support.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub support: bool,
    /// The messages before it that count with it, by index, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub turns: Vec<usize>,
    /// What was found about the policy's rules in plain language, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<RuleAnswer>,
    /// What the backend for a second opinion did, where the action was uncertain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second_opinion: Option<SecondOpinion>,
}

/// What the backend for a second opinion did about a message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SecondOpinion {
    /// Its name.
    pub backend: String,
    pub outcome: StepOutcome,
    /// The model that answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The reason, for users.
    pub reason: String,
}

impl Explanation {
    /// Converts `start` and `end` of each signal and of personal data from bytes to characters (Unicode code points) of
    /// `content`.
    pub fn in_characters(mut self, content: &str) -> Self {
        let starts: Vec<usize> =
            content.char_indices().map(|(start, _)| start).chain([content.len()]).collect();
        for signal in &mut self.signals {
            signal.start = character_at(&starts, signal.start);
            signal.end = character_at(&starts, signal.end);
        }
        for data in &mut self.personal_data {
            data.start = character_at(&starts, data.start);
            data.end = character_at(&starts, data.end);
        }
        self
    }
}

/// The index of the character that starts at a byte; 0 for a byte within one.
fn character_at(starts: &[usize], byte: usize) -> usize {
    starts.binary_search(&byte).unwrap_or(0)
}
