//! Why a message was banned: the one place where scores and signals become a verdict. Pure.

use super::{Action, ActionProbabilities, Category, Signals, TextMessage, Verdict};
use crate::ports::TextScores;

/// Decides. Raising any evidence never lowers a score.
pub fn decide(_message: &TextMessage, _signals: &Signals, scores: &TextScores) -> Verdict {
    let scam = scores.categories[Category::Scam];
    Verdict {
        action: Action::None,
        threat_score: scam,
        is_phishing_or_scam: scam,
        requires_mod_review: scam,
        action_probabilities: ActionProbabilities { ban: 0.0, timeout: 0.0, warn: 0.0, none: 1.0 },
        explanation: None,
        model: scores.model.clone(),
    }
}
