//! Whether labels contradict a model as if they had been swapped. A model that knows nothing of a question agrees with
//! its labels as often as chance; one that agrees far less often knows the question, and the labels mean something
//! else. A Checkpoint that is trained on such labels is better by the same labels.

use std::collections::{BTreeMap, BTreeSet};

use super::{Pair, significance::binomial_tail};

/// The probability of doubting the labels of a key that are as they should be.
const SIGNIFICANCE: f64 = 0.01;

/// Samples by label and by the old model's answer.
type Counts<'a> = BTreeMap<(&'a str, &'a str), u64>;

/// Why labels should be looked at again before a model that was trained on them answers: those of the first key that
/// contradict the old model more than chance does. `None` where they do not. `keys`: the names of the keys.
pub fn doubt(pairs: &[Pair], keys: &[&str]) -> Option<String> {
    keys.iter().enumerate().find_map(|(at, key)| doubt_key(&counts(pairs, at), key))
}

/// The samples whose answer under some key differs between the two models, and all.
pub fn changed(pairs: &[Pair]) -> (usize, usize) {
    let all: BTreeSet<usize> = pairs.iter().map(|pair| pair.sample).collect();
    let changed = pairs.iter().filter(|pair| pair.new.value != pair.old.value).map(|pair| pair.sample);
    (changed.collect::<BTreeSet<_>>().len(), all.len())
}

fn counts(pairs: &[Pair], key: usize) -> Counts<'_> {
    let mut counts = Counts::new();
    for pair in pairs.iter().filter(|pair| pair.key == key) {
        if let Some(answer) = &pair.old.value {
            *counts.entry((&pair.old.truth, answer)).or_default() += 1;
        }
    }
    counts
}

fn doubt_key(counts: &Counts<'_>, key: &str) -> Option<String> {
    let swapped: Vec<(&str, &str)> =
        counts.keys().copied().filter(|(truth, answer)| truth < answer).collect();
    for (one, other) in &swapped {
        let both = [*one, *other];
        let within =
            counts.iter().filter(|((truth, answer), _)| both.contains(truth) && both.contains(answer));
        let within: Counts<'_> = within.map(|(values, count)| (*values, *count)).collect();
        if contradicts(&within, SIGNIFICANCE / swapped.len() as f64) {
            let (all, right) = totals(&within);
            let crossed = all - right;
            return Some(format!(
                "the labels `{one}` and `{other}` of `{key}` look swapped: the live model answers {crossed} of \
                 their {all} samples the other way round"
            ));
        }
    }
    let (all, right) = totals(counts);
    contradicts(counts, SIGNIFICANCE).then(|| {
        format!(
            "the labels of `{key}` contradict the live model: it answers {right} of {all} samples as they are \
             labelled, fewer than by chance"
        )
    })
}

/// Whether answers agree with labels less often than independent ones with the same shares would.
fn contradicts(counts: &Counts<'_>, significance: f64) -> bool {
    let (all, right) = totals(counts);
    let mut labels: BTreeMap<&str, u64> = BTreeMap::new();
    let mut answers: BTreeMap<&str, u64> = BTreeMap::new();
    for ((label, answer), count) in counts {
        *labels.entry(label).or_default() += count;
        *answers.entry(answer).or_default() += count;
    }
    let whole = (all * all).max(1) as f64;
    let products = labels.iter().map(|(value, count)| count * answers.get(value).unwrap_or(&0));
    let by_chance = products.sum::<u64>() as f64 / whole;
    binomial_tail(right, all, by_chance) < significance
}

/// All samples, and those that are answered as they are labelled.
fn totals(counts: &Counts<'_>) -> (u64, u64) {
    let right = counts.iter().filter(|((label, answer), _)| label == answer).map(|(_, count)| count);
    (counts.values().sum(), right.sum())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learning::agreement::GradedAnswer;

    fn graded(truth: &str, value: &str) -> GradedAnswer {
        GradedAnswer {
            truth: truth.to_owned(),
            value: Some(value.to_owned()),
            probability: Some(0.8),
            truth_probability: None,
            brier: None,
            probabilities: None,
        }
    }

    /// Samples by label and answer of the old model; the new one answers as labelled.
    fn pairs(counts: &[(&str, &str, usize)]) -> Vec<Pair> {
        let each = counts.iter().flat_map(|(truth, value, count)| (0..*count).map(move |_| (*truth, *value)));
        let pairs = each.enumerate().map(|(sample, (truth, value))| Pair {
            sample,
            key: 0,
            new: graded(truth, truth),
            old: graded(truth, value),
        });
        pairs.collect()
    }

    fn doubted(counts: &[(&str, &str, usize)]) -> Option<String> {
        doubt(&pairs(counts), &["team"])
    }

    #[test]
    fn swapped_labels_are_doubted() {
        let found = doubted(&[("a", "b", 22), ("b", "a", 22), ("a", "a", 1), ("b", "b", 1)]).unwrap();
        assert!(found.contains("`a` and `b` of `team`"), "{found}");
        assert!(found.contains("answers 44 of their 46 samples the other way round"), "{found}");
        // Two of many, which leave the model right in most samples.
        let found = doubted(&[("a", "b", 9), ("b", "a", 9), ("c", "c", 40), ("d", "d", 40)]).unwrap();
        assert!(found.contains("`a` and `b`"), "{found}");
        // All in turn.
        let found = doubted(&[("a", "b", 12), ("b", "c", 12), ("c", "a", 12)]).unwrap();
        assert!(found.contains("0 of 36"), "{found}");
    }

    #[test]
    fn a_model_that_does_not_know_a_question_is_no_reason_for_doubt() {
        // It guesses, always answers the same, is right, or is wrong about one label.
        assert_eq!(doubted(&[("a", "a", 11), ("a", "b", 12), ("b", "a", 12), ("b", "b", 11)]), None);
        assert_eq!(doubted(&[("a", "b", 41), ("b", "b", 5)]), None);
        assert_eq!(doubted(&[("a", "c", 20), ("b", "c", 20)]), None);
        assert_eq!(doubted(&[("a", "a", 20), ("b", "b", 20), ("a", "b", 4)]), None);
        assert_eq!(doubted(&[("a", "b", 2), ("b", "a", 2)]), None, "too few to tell");
        assert_eq!(doubted(&[]), None);
    }

    #[test]
    fn changed_answers_are_counted_by_sample() {
        let mut pairs = pairs(&[("a", "b", 3), ("a", "a", 5)]);
        pairs.push(Pair { key: 1, ..pairs[0].clone() });
        assert_eq!(changed(&pairs), (3, 8));
    }
}
