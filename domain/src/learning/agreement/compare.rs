//! Compares two models on the same samples.

use std::collections::BTreeMap;

use rand::{Rng, SeedableRng, rngs::StdRng};
use serde::{Deserialize, Serialize};

use super::{GradedAnswer, Interval, sign_test};

/// Resamples of the bootstrap.
const RESAMPLES: usize = 2_000;
/// The seed of the bootstrap: the same answers give the same interval.
const SEED: u64 = 12;
/// The accepted probability of calling a model better or worse that is neither.
const SIGNIFICANCE: f64 = 0.05;
/// Minimum samples to call a model better.
pub const MIN_SAMPLES: usize = 20;

/// The answers of two models under one key of one sample.
#[derive(Clone, Debug)]
pub struct Pair {
    /// `seq` of the sample: keys of one sample are not independent.
    pub sample: usize,
    pub key: usize,
    pub new: GradedAnswer,
    pub old: GradedAnswer,
}

/// How much better the new model is than the old one on the same samples.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Difference {
    /// Samples that were compared.
    pub samples: u64,
    /// The difference of the accuracies: positive when the new model is better.
    pub accuracy: f64,
    /// The interval of 95 % of that difference, by a bootstrap over samples.
    pub interval: Interval,
    /// Samples on which the new model answers more keys right.
    pub wins: u64,
    /// Samples on which it answers fewer keys right.
    pub losses: u64,
    /// The p-value of a two-sided sign test on those: how probable so uneven a result would be if neither were better.
    pub p_value: f64,
}

/// Whether the new model should answer in place of the old one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    pub better: bool,
    /// Whether the old model answers significantly better.
    pub worse: bool,
    /// Why, in a sentence.
    pub reason: String,
}

/// The difference of two models; `None` without pairs. Draws 2,000 resamples of all samples: not for a
/// thread of the async runtime.
pub fn difference<'a>(pairs: impl IntoIterator<Item = &'a Pair>) -> Option<Difference> {
    let samples = gains(pairs);
    if samples.is_empty() {
        return None;
    }
    let mut random = StdRng::seed_from_u64(SEED);
    let mut resampled: Vec<f64> = (0..RESAMPLES)
        .map(|_| accuracy_gain((0..samples.len()).map(|_| samples[random.random_range(0..samples.len())])))
        .collect();
    resampled.sort_unstable_by(f64::total_cmp);
    let SignTest { wins, losses, p_value } = SignTest::of(&samples);
    Some(Difference {
        samples: samples.len() as u64,
        accuracy: accuracy_gain(samples.iter().copied()),
        interval: Interval { low: quantile(&resampled, 0.025), high: quantile(&resampled, 0.975) },
        wins,
        losses,
        p_value,
    })
}

/// A sign test over samples, as [`Difference`] has it.
struct SignTest {
    wins: u64,
    losses: u64,
    p_value: f64,
}

impl SignTest {
    fn of(samples: &[Gain]) -> Self {
        let wins = samples.iter().filter(|gain| gain.answers > 0).count() as u64;
        let losses = samples.iter().filter(|gain| gain.answers < 0).count() as u64;
        Self { wins, losses, p_value: sign_test(wins, losses) }
    }
}

/// The gain on each sample.
fn gains<'a>(pairs: impl IntoIterator<Item = &'a Pair>) -> Vec<Gain> {
    let mut by_sample: BTreeMap<usize, Gain> = BTreeMap::new();
    for pair in pairs {
        let sample = by_sample.entry(pair.sample).or_default();
        sample.answers += i64::from(pair.new.agrees()) - i64::from(pair.old.agrees());
        sample.keys += 1;
    }
    by_sample.into_values().collect()
}

/// How many more keys of a sample the new model answers right.
#[derive(Clone, Copy, Default)]
struct Gain {
    /// Right answers of the new model less those of the old one.
    answers: i64,
    keys: u64,
}

/// The difference of the accuracies over all keys of some samples.
fn accuracy_gain(samples: impl Iterator<Item = Gain>) -> f64 {
    let mut sum = Gain::default();
    for gain in samples {
        sum.answers += gain.answers;
        sum.keys += gain.keys;
    }
    sum.answers as f64 / sum.keys.max(1) as f64
}

fn quantile(sorted: &[f64], q: f64) -> f64 {
    sorted[((sorted.len() - 1) as f64 * q).round() as usize]
}

/// Whether the new model is better by a confidence bound: on at least [`MIN_SAMPLES`] samples it wins significantly
/// more than it loses, its logarithmic loss is no higher, and no key is answered significantly worse. It is worse if it
/// loses significantly more. `all` is the [`difference`] on these pairs.
pub fn verdict(all: Option<&Difference>, pairs: &[Pair], keys: &[&str]) -> Verdict {
    let Some(all) = all else {
        return inconclusive("there is nothing to compare on".to_owned());
    };
    if all.samples < MIN_SAMPLES as u64 {
        let few = match all.samples {
            1 => "only 1 sample was".to_owned(),
            samples => format!("only {samples} samples were"),
        };
        return inconclusive(format!("{few} compared; a verdict needs at least {MIN_SAMPLES}"));
    }
    let tally = all.tally();
    if all.p_value >= SIGNIFICANCE {
        return inconclusive(format!("{tally}, which could be chance"));
    }
    if all.losses > all.wins {
        return Verdict { better: false, worse: true, reason: tally };
    }
    let new_loss = loss(pairs.iter().map(|pair| &pair.new));
    let old_loss = loss(pairs.iter().map(|pair| &pair.old));
    if new_loss > old_loss {
        return inconclusive(format!("{tally}, but the probabilities are worse (logarithmic loss)"));
    }
    for (at, key) in keys.iter().enumerate() {
        let of_key = SignTest::of(&gains(pairs.iter().filter(|pair| pair.key == at)));
        if of_key.losses > of_key.wins && of_key.p_value < SIGNIFICANCE {
            return inconclusive(format!("{tally}, but `{key}` is answered worse"));
        }
    }
    Verdict { better: true, worse: false, reason: tally }
}

fn inconclusive(reason: String) -> Verdict {
    Verdict { better: false, worse: false, reason }
}

impl Difference {
    /// What changed, in words.
    fn tally(&self) -> String {
        let Self { samples, accuracy, interval, wins, losses, p_value } = self;
        let [change, low, high] = [*accuracy, interval.low, interval.high].map(|share| share * 100.0);
        let p_value = if *p_value < 0.001 { "p < 0.001".to_owned() } else { format!("p = {p_value:.3}") };
        format!(
            "accuracy changes by {change:+.1} percentage points (95 % interval {low:+.1} to {high:+.1}): better on \
             {wins} of {samples} samples, worse on {losses} ({p_value})"
        )
    }
}

/// The sum of the logarithmic losses of answers.
fn loss<'a>(answers: impl Iterator<Item = &'a GradedAnswer>) -> f64 {
    answers.filter_map(|answer| answer.truth_probability).map(|p| -p.max(1e-9).ln()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graded(right: bool) -> GradedAnswer {
        GradedAnswer {
            truth: "a".to_owned(),
            value: Some(if right { "a" } else { "b" }.to_owned()),
            probability: Some(0.8),
            truth_probability: Some(if right { 0.8 } else { 0.2 }),
            brier: None,
            probabilities: None,
        }
    }

    fn pair(sample: usize, new: bool, old: bool) -> Pair {
        Pair { sample, key: 0, new: graded(new), old: graded(old) }
    }

    fn pairs(wins: usize, losses: usize, ties: usize) -> Vec<Pair> {
        (0..wins + losses + ties).map(|at| pair(at, at < wins || at >= wins + losses, at >= wins)).collect()
    }

    fn better(wins: usize, losses: usize, ties: usize) -> Verdict {
        let pairs = pairs(wins, losses, ties);
        verdict(difference(&pairs).as_ref(), &pairs, &["k"])
    }

    #[test]
    fn better_needs_enough_samples_and_more_than_chance() {
        assert!(better(6, 0, 14).better);
        assert!(!better(5, 0, 15).better, "five of five may be chance");
        assert!(!better(6, 0, 13).better, "19 samples");
        assert!(!better(8, 4, 20).better);
        assert!(better(12, 3, 20).better);
        assert!(!better(0, 0, 0).better && !better(0, 9, 20).better);
        let reason = better(4, 0, 16).reason;
        assert!(reason.contains("better on 4 of 20 samples, worse on 0 (p = 0.125)"), "{reason}");
        assert!(
            reason.starts_with("accuracy changes by +20.0 percentage points (95 % interval +"),
            "{reason}"
        );
    }

    #[test]
    fn worse_is_said_as_such() {
        let lost = better(18, 82, 249);
        assert!(lost.worse && !lost.better && lost.reason.contains("-18.3 percentage points"), "{lost:?}");
        assert!(lost.reason.ends_with("(p < 0.001)"), "{lost:?}");
        let undecided = better(5, 8, 20);
        assert!(!undecided.worse && !undecided.better, "{undecided:?}");
        assert!(!better(0, 12, 3).worse, "15 samples");
    }

    #[test]
    fn the_interval_holds_the_difference_and_is_repeatable() {
        let pairs = pairs(12, 4, 24);
        let found = difference(&pairs).unwrap();
        assert!((found.accuracy - 0.2).abs() < 1e-12);
        assert!(found.interval.low < 0.2 && found.interval.high > 0.2, "{found:?}");
        assert!(found.interval.low > -0.1 && found.interval.high < 0.5, "{found:?}");
        assert_eq!(difference(&pairs).unwrap(), found);
    }

    #[test]
    fn keys_of_one_sample_are_one_observation() {
        let of_one: Vec<Pair> = (0..30).map(|key| Pair { key, ..pair(0, true, false) }).collect();
        let found = difference(&of_one).unwrap();
        assert_eq!((found.samples, found.wins), (1, 1));
    }
}
