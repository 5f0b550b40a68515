//! Probabilities and their log-odds.

/// `ln(p / (1 - p))`, with the probability kept a millionth from 0 and 1.
pub(super) fn logit(probability: f64) -> f64 {
    let p = probability.clamp(1e-6, 1.0 - 1e-6);
    (p / (1.0 - p)).ln()
}

/// The probability of log-odds.
pub(super) fn sigmoid(log_odds: f64) -> f64 {
    1.0 / (1.0 + (-log_odds).exp())
}
