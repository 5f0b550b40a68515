//! What moderation concludes about one message.

use serde::{Deserialize, Serialize};

use super::{Categories, Signal};

/// What to do about a message, mildest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// Leave it.
    None,
    /// Warn its author.
    Warn,
    /// Silence its author for a while.
    Timeout,
    /// Remove its author.
    Ban,
}

impl Action {
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
    /// Remove the author.
    pub ban: f64,
    /// Silence the author for a while.
    pub timeout: f64,
    /// Warn the author.
    pub warn: f64,
    /// Leave it.
    pub none: f64,
}

/// The verdict on one message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// The recommended action: the most probable one.
    pub action: Action,
    /// Severity without an upper bound: 0 for nothing, about 1 where `warn` begins.
    pub threat_score: f64,
    /// Probability, 0..1, of phishing or scam.
    pub is_phishing_or_scam: f64,
    /// Probability, 0..1, that a moderator would want to see it.
    pub requires_mod_review: f64,
    /// How sure the action is.
    pub action_probabilities: ActionProbabilities,
    /// Why; only when asked for.
    pub explanation: Option<Explanation>,
    /// Name and version of the model that decided.
    pub model: String,
}

/// Why a verdict is what it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Explanation {
    /// Calibrated probability per category.
    pub categories: Categories,
    /// What was seen, heaviest first.
    pub signals: Vec<Signal>,
    /// The text after undoing disguises.
    pub normalized_text: String,
}

impl Explanation {
    /// With `start` and `end` of each signal in characters (Unicode code points) of `content` in place of bytes.
    pub fn in_characters(mut self, content: &str) -> Self {
        let starts: Vec<usize> =
            content.char_indices().map(|(start, _)| start).chain([content.len()]).collect();
        let characters = |bytes: usize| starts.binary_search(&bytes).unwrap_or(0);
        for signal in &mut self.signals {
            (signal.start, signal.end) = (characters(signal.start), characters(signal.end));
        }
        self
    }
}
