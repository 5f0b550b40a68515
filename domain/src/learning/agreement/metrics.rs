//! The metrics of one key's answers.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{BINS, Cell, Confusion, GradedAnswer, Interval, Labelled, wilson};

/// Maximum cells of a confusion matrix.
const MAX_CELLS: usize = 400;
/// The lower bound of probabilities in the logarithmic loss.
const LEAST_PROBABILITY: f64 = 1e-9;

/// The metrics of the answers under one key. A figure is `None` where nothing defines it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KeyMetrics {
    pub key: String,
    /// `choice`, `score` or `noul`.
    pub kind: String,
    /// Answers with a ground truth; an abstention counts as a wrong one.
    pub count: u64,
    pub accuracy: Option<f64>,
    /// Wilson's interval of the accuracy.
    pub accuracy_interval: Option<Interval>,
    /// The mean of the classes' F1.
    pub macro_f1: Option<f64>,
    /// Cohen's kappa.
    pub kappa: Option<f64>,
    /// Cohen's kappa with quadratic weights; for scores.
    pub weighted_kappa: Option<f64>,
    /// The mean distance of the answered level from the true one; for scores.
    pub mean_absolute_error: Option<f64>,
    /// Mean cross entropy of the ground truths, in nats.
    pub log_loss: Option<f64>,
    /// Brier score, 0 at best and 2 at worst.
    pub brier: Option<f64>,
    /// Expected calibration error in 10 bins of equal width.
    pub ece: Option<f64>,
    pub confusion: Vec<ConfusionCell>,
}

/// A cell of a confusion matrix, the most frequent first; cells of 0 are left out, and those after the first 400.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConfusionCell {
    pub truth: String,
    /// `None` when the model abstained.
    pub answered: Option<String>,
    pub count: u64,
}

/// The metrics of the answers under a key.
pub fn metrics(key: &str, kind: &str, graded: &[&GradedAnswer]) -> KeyMetrics {
    let labelled = Labelled { cells: cells(graded), evaluated: 0 };
    let agreement = labelled.agreement();
    let calibration = labelled.calibration();
    let losses: Vec<f64> = graded
        .iter()
        .filter_map(|one| one.truth_probability)
        .map(|p| -p.max(LEAST_PROBABILITY).ln())
        .collect();
    let levels = if kind == "score" { levels(graded) } else { Vec::new() };
    let distance: f64 = levels.iter().map(|(truth, answered)| (truth - answered).abs()).sum();
    KeyMetrics {
        key: key.to_owned(),
        kind: kind.to_owned(),
        count: agreement.count,
        accuracy: agreement.accuracy,
        accuracy_interval: wilson(agreement.agreeing, agreement.count),
        macro_f1: agreement.macro_f1,
        kappa: agreement.kappa,
        weighted_kappa: weighted_kappa(&levels),
        mean_absolute_error: (!levels.is_empty()).then(|| distance / levels.len() as f64),
        log_loss: (!losses.is_empty()).then(|| losses.iter().sum::<f64>() / losses.len() as f64),
        brier: calibration.brier,
        ece: calibration.ece,
        confusion: confusion(agreement.confusion),
    }
}

/// The most frequent cells, so that the matrix of many classes stays small.
fn confusion(mut cells: Vec<Confusion>) -> Vec<ConfusionCell> {
    cells.sort_by_key(|cell| std::cmp::Reverse(cell.count));
    let cells = cells.into_iter().take(MAX_CELLS);
    cells
        .map(|cell| ConfusionCell { truth: cell.truth, answered: cell.answered, count: cell.count })
        .collect()
}

fn cells(graded: &[&GradedAnswer]) -> Vec<Cell> {
    let mut cells: BTreeMap<(&str, Option<&str>, Option<usize>), Cell> = BTreeMap::new();
    for one in graded {
        let bin = one.probability.map(|p| ((p * BINS as f64).floor().max(0.0) as usize).min(BINS - 1));
        let cell = cells.entry((&one.truth, one.value.as_deref(), bin)).or_insert_with(|| Cell {
            truth: one.truth.clone(),
            value: one.value.clone(),
            bin,
            count: 0,
            confidence: 0.0,
            brier: 0.0,
            scored: 0,
        });
        cell.count += 1;
        cell.confidence += one.probability.unwrap_or_default();
        cell.brier += one.brier.unwrap_or_default();
        cell.scored += u64::from(one.brier.is_some());
    }
    cells.into_values().collect()
}

/// The true and the answered levels of the scores that did not abstain.
fn levels(graded: &[&GradedAnswer]) -> Vec<(f64, f64)> {
    let sure = graded.iter().filter(|one| one.probability.is_some());
    sure.filter_map(|one| Some((one.truth.parse().ok()?, one.value.as_deref()?.parse().ok()?))).collect()
}

/// Cohen's kappa with quadratic weights (Cohen 1968): 1 less the mean squared distance, over that of independent pairs
/// with the same levels.
fn weighted_kappa(levels: &[(f64, f64)]) -> Option<f64> {
    if levels.is_empty() {
        return None;
    }
    let n = levels.len() as f64;
    let observed: f64 = levels.iter().map(|(t, a)| (t - a) * (t - a)).sum::<f64>() / n;
    // Over all pairs: E(t - a)² = E t² - 2 E t E a + E a².
    let truth = levels.iter().map(|(t, _)| t).sum::<f64>() / n;
    let truth_squared = levels.iter().map(|(t, _)| t * t).sum::<f64>() / n;
    let answer = levels.iter().map(|(_, a)| a).sum::<f64>() / n;
    let answer_squared = levels.iter().map(|(_, a)| a * a).sum::<f64>() / n;
    let chance = truth_squared - 2.0 * truth * answer + answer_squared;
    (chance > 1e-12).then(|| 1.0 - observed / chance)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graded(truth: &str, value: &str, p: f64, of_truth: f64) -> GradedAnswer {
        GradedAnswer {
            truth: truth.to_owned(),
            value: Some(value.to_owned()),
            probability: Some(p),
            truth_probability: Some(of_truth),
            brier: Some((1.0 - of_truth) * (1.0 - of_truth)),
            probabilities: None,
        }
    }

    #[test]
    fn metrics_of_a_choice_are_those_of_its_answers() {
        let all = [graded("a", "a", 0.8, 0.8), graded("b", "a", 0.6, 0.4), graded("b", "b", 0.9, 0.9)];
        let found = metrics("k", "choice", &all.iter().collect::<Vec<_>>());
        assert_eq!((found.count, found.weighted_kappa, found.mean_absolute_error), (3, None, None));
        assert!((found.accuracy.unwrap() - 2.0 / 3.0).abs() < 1e-12);
        let loss = -(0.8f64.ln() + 0.4f64.ln() + 0.9f64.ln()) / 3.0;
        assert!((found.log_loss.unwrap() - loss).abs() < 1e-12);
        assert_eq!(found.confusion.len(), 3);
    }

    /// The metrics of answers and of one more, which should be 0.
    fn with(answers: &[GradedAnswer], wrong: &str) -> KeyMetrics {
        let mut all = answers.to_vec();
        all.push(graded("0", wrong, 0.5, 0.1));
        metrics("k", "score", &all.iter().collect::<Vec<_>>())
    }

    #[test]
    fn the_weighted_kappa_of_scores_sees_distances() {
        let near: Vec<GradedAnswer> = ["0", "1", "2", "3"].iter().map(|t| graded(t, t, 0.9, 0.9)).collect();
        let perfect = metrics("k", "score", &near.iter().collect::<Vec<_>>());
        assert_eq!((perfect.weighted_kappa, perfect.mean_absolute_error), (Some(1.0), Some(0.0)));
        assert!(with(&near, "1").weighted_kappa > with(&near, "3").weighted_kappa);
        assert_eq!(with(&near, "3").mean_absolute_error, Some(0.6));
        // As scikit-learn: cohen_kappa_score([0, 1, 2, 3, 0], [0, 1, 2, 3, 3], weights="quadratic").
        assert!((with(&near, "3").weighted_kappa.unwrap() - 0.415_584).abs() < 1e-5);
    }
}
