//! The statistics computed from the list of samples by their definitions, without regard to speed.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use serde_json::{Value, json};

use super::made::{Made, MadeAnswer};

/// Selects samples; a field without a value selects all.
#[derive(Clone, Debug, Default)]
pub(super) struct Filter {
    pub(super) since: Option<DateTime<Utc>>,
    pub(super) until: Option<DateTime<Utc>>,
    pub(super) version: Option<i32>,
    pub(super) source: Option<&'static str>,
    pub(super) labelled: Option<bool>,
}

impl Filter {
    /// The input over GraphQL.
    pub(super) fn input(&self) -> Value {
        json!({
            "since": self.since.map(|time| time.to_rfc3339()),
            "until": self.until.map(|time| time.to_rfc3339()),
            "version": self.version,
            "source": self.source.map(str::to_uppercase),
            "labelled": self.labelled,
        })
    }

    fn takes(&self, sample: &Made) -> bool {
        self.since.is_none_or(|since| sample.at >= since)
            && self.until.is_none_or(|until| sample.at < until)
            && self.version.is_none_or(|version| sample.version == version)
            && self.source.is_none_or(|source| sample.source == source)
    }

    fn takes_label(&self, labelled: bool) -> bool {
        self.labelled.is_none_or(|wanted| wanted == labelled)
    }
}

/// The expected `stats` of a Judge.
pub(super) fn stats(samples: &[Made], judge: &str, filter: &Filter) -> Value {
    let within: Vec<&Made> =
        samples.iter().filter(|sample| sample.judge == judge && filter.takes(sample)).collect();
    let taken: Vec<&Made> =
        within.iter().copied().filter(|sample| filter.takes_label(sample.labelled())).collect();
    let keys: BTreeSet<&str> = rows(&within, filter).map(|(_, answer)| answer.key).collect();
    let days: BTreeSet<String> = taken.iter().map(|sample| day(sample)).collect();
    let days = days.iter().map(|wanted| {
        let mut sums = volume(taken.iter().copied().filter(|sample| day(sample) == *wanted));
        sums["day"] = json!(wanted);
        sums
    });
    let days: Vec<Value> = days.collect();
    let mut stats = volume(taken.iter().copied());
    stats["days"] = json!(days);
    stats["latency"] = latency(&taken);
    stats["keys"] = keys.iter().map(|key| key_stats(&within, key, filter)).collect();
    stats
}

/// The required precision or recall of a threshold.
#[derive(Clone, Copy, Debug)]
pub(super) enum Aim {
    Precision(f64),
    Recall(f64),
}

impl Aim {
    pub(super) fn precision(self) -> Option<f64> {
        match self {
            Self::Precision(least) => Some(least),
            Self::Recall(_) => None,
        }
    }

    pub(super) fn recall(self) -> Option<f64> {
        match self {
            Self::Precision(_) => None,
            Self::Recall(least) => Some(least),
        }
    }
}

/// A value that answers a key of a Judge.
pub(super) struct AnswerValue<'a> {
    pub(super) judge: &'a str,
    pub(super) key: &'a str,
    pub(super) value: &'a str,
}

/// The expected `threshold`.
pub(super) fn threshold(samples: &[Made], of: AnswerValue<'_>, filter: &Filter, aim: Aim) -> Value {
    let AnswerValue { judge, key, value } = of;
    let within: Vec<&Made> =
        samples.iter().filter(|sample| sample.judge == judge && filter.takes(sample)).collect();
    let cases: Vec<(f64, bool)> = rows(&within, filter)
        .filter(|(_, answer)| answer.key == key)
        .filter_map(|(_, answer)| Some((answer.p(value)?, answer.truth.as_ref()? == value)))
        .collect();
    let support = cases.iter().filter(|(_, hit)| *hit).count();
    let mut best: Option<(f64, f64, f64, usize)> = None;
    for (t, _) in &cases {
        let answered: Vec<_> = cases.iter().filter(|(p, _)| p >= t).collect();
        let right = answered.iter().filter(|(_, hit)| *hit).count();
        let p = right as f64 / answered.len() as f64;
        let r = right as f64 / support as f64;
        let reached = match aim {
            Aim::Precision(least) => p >= least,
            Aim::Recall(least) => r >= least,
        };
        let better = best.is_none_or(|(best_t, best_p, ..)| match aim {
            Aim::Precision(_) => *t < best_t,
            Aim::Recall(_) => p > best_p || (p == best_p && *t > best_t),
        });
        if support > 0 && reached && better {
            best = Some((*t, p, r, answered.len()));
        }
    }
    best.map_or(Value::Null, |(t, p, r, answered)| {
        json!({
            "probability": t, "precision": p, "recall": r,
            "count": cases.len(), "support": support, "answered": answered,
        })
    })
}

/// The answers that the statistics of keys count.
fn rows<'a>(samples: &'a [&Made], filter: &'a Filter) -> impl Iterator<Item = (&'a Made, &'a MadeAnswer)> {
    let rows = samples.iter().flat_map(|sample| sample.answers.iter().map(|answer| (*sample, answer)));
    rows.filter(|(_, answer)| filter.takes_label(answer.truth.is_some()))
}

fn day(sample: &Made) -> String {
    sample.at.format("%Y-%m-%d").to_string()
}

fn volume<'a>(samples: impl Iterator<Item = &'a Made>) -> Value {
    let samples: Vec<_> = samples.collect();
    json!({
        "count": samples.len(),
        "labelled": samples.iter().filter(|sample| sample.labelled()).count(),
        "credits": samples.iter().map(|sample| sample.milli_credits).sum::<i64>() as f64 / 1000.0,
    })
}

fn latency(samples: &[&Made]) -> Value {
    let mut all: Vec<f64> = samples.iter().filter_map(|sample| sample.latency).collect();
    all.sort_by(f64::total_cmp);
    if all.is_empty() {
        return Value::Null;
    }
    let [p50, p90, p95, p99] = [50, 90, 95, 99].map(|p| percentile(&all, p));
    json!({
        "count": all.len(),
        "mean": mean(all.iter().copied()),
        "p50": p50, "p90": p90, "p95": p95, "p99": p99,
        "max": all.last(),
    })
}

/// The first value such that `p` per cent of all lie at or before it.
fn percentile(sorted: &[f64], p: usize) -> Option<f64> {
    let place = (1..=sorted.len()).find(|place| place * 100 >= p * sorted.len())?;
    Some(sorted[place - 1])
}

fn share(part: usize, whole: usize) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

fn mean(of: impl Iterator<Item = f64>) -> Option<f64> {
    let all: Vec<f64> = of.collect();
    (!all.is_empty()).then(|| all.iter().sum::<f64>() / all.len() as f64)
}

/// The answer: none, an abstention, or a value.
fn said(answer: &MadeAnswer) -> Option<Option<&str>> {
    answer.value.as_deref().map(|value| if answer.abstained { None } else { Some(value) })
}

fn key_stats(samples: &[&Made], key: &str, filter: &Filter) -> Value {
    let rows: Vec<(&Made, &MadeAnswer)> =
        rows(samples, filter).filter(|(_, answer)| answer.key == key).collect();
    let mut answers: BTreeMap<Option<&str>, usize> = BTreeMap::new();
    let mut days: BTreeMap<(String, Option<&str>), usize> = BTreeMap::new();
    for (sample, answer) in &rows {
        if let Some(said) = said(answer) {
            *answers.entry(said).or_default() += 1;
            *days.entry((day(sample), said)).or_default() += 1;
        }
    }
    let labelled: Vec<&MadeAnswer> =
        rows.iter().map(|(_, answer)| *answer).filter(|answer| answer.truth.is_some()).collect();
    let answered = rows.iter().filter(|(_, answer)| answer.value.is_some());
    let abstained = answered.clone().filter(|(_, answer)| answer.abstained).count();
    json!({
        "key": key,
        "count": rows.len(),
        "answered": answered.count() - abstained,
        "abstained": abstained,
        "labelled": labelled.len(),
        "answers": answers.iter().map(|(value, count)| json!({ "value": value, "count": count })).collect::<Vec<_>>(),
        "days": days.iter()
            .map(|((day, value), count)| json!({ "day": day, "value": value, "count": count })).collect::<Vec<_>>(),
        "agreement": agreement(&labelled),
        "calibration": calibration(&labelled),
    })
}

fn agreement(labelled: &[&MadeAnswer]) -> Value {
    let pairs: Vec<(&str, Option<&str>)> =
        labelled.iter().filter_map(|answer| Some((answer.truth.as_deref()?, said(answer)?))).collect();
    let n = pairs.len() as f64;
    let classes: BTreeSet<&str> =
        pairs.iter().flat_map(|(truth, said)| [Some(*truth), *said]).flatten().collect();

    let mut f1s = Vec::new();
    let mut chance = 0.0;
    let mut table = Vec::new();
    for class in &classes {
        let right = pairs.iter().filter(|(truth, said)| truth == class && *said == Some(class)).count();
        let wrong = pairs.iter().filter(|(truth, said)| truth != class && *said == Some(class)).count();
        let missed = pairs.iter().filter(|(truth, said)| truth == class && *said != Some(class)).count();
        let precision = share(right, right + wrong);
        let recall = share(right, right + missed);
        let f1 = match (precision, recall) {
            (Some(p), Some(r)) if p + r > 0.0 => 2.0 * p * r / (p + r),
            _ => 0.0,
        };
        f1s.push(f1);
        chance += (right + missed) as f64 / n * ((right + wrong) as f64 / n);
        table.push(json!({
            "value": class, "support": right + missed, "answered": right + wrong,
            "precision": precision, "recall": recall, "f1": f1,
        }));
    }
    let agreeing = pairs.iter().filter(|(truth, said)| *said == Some(truth)).count();
    let accuracy = share(agreeing, pairs.len());
    let mut confusion: BTreeMap<(&str, Option<&str>), usize> = BTreeMap::new();
    for pair in &pairs {
        *confusion.entry(*pair).or_default() += 1;
    }
    let cells = confusion
        .iter()
        .map(|((truth, said), count)| json!({ "truth": truth, "answered": said, "count": count }));
    json!({
        "count": pairs.len(),
        "agreeing": agreeing,
        "accuracy": accuracy,
        "macroF1": mean(f1s.into_iter()),
        "kappa": accuracy.filter(|_| 1.0 - chance > 1e-12).map(|accuracy| (accuracy - chance) / (1.0 - chance)),
        "confusion": cells.collect::<Vec<_>>(),
        "classes": table,
    })
}

fn calibration(labelled: &[&MadeAnswer]) -> Value {
    let sure: Vec<(f64, bool)> = labelled
        .iter()
        .filter_map(|answer| Some((answer.probability()?, answer.value == answer.truth)))
        .collect();
    let mut bins = Vec::new();
    let mut ece = 0.0;
    for bin in 0..10 {
        let inside: Vec<_> =
            sure.iter().filter(|(p, _)| ((p * 10.0).floor() as usize).min(9) == bin).collect();
        let confidence = mean(inside.iter().map(|(p, _)| *p));
        let accuracy = mean(inside.iter().map(|(_, right)| if *right { 1.0 } else { 0.0 }));
        ece += inside.len() as f64 * (confidence.unwrap_or(0.0) - accuracy.unwrap_or(0.0)).abs();
        bins.push(json!({
            "from": bin as f64 / 10.0, "to": (bin + 1) as f64 / 10.0,
            "count": inside.len(), "confidence": confidence, "accuracy": accuracy,
        }));
    }
    let scores = labelled.iter().filter(|answer| !answer.probabilities.is_empty()).map(|answer| {
        let truth = answer.truth.as_deref();
        let errors = answer.probabilities.iter().map(|(value, p)| {
            let is = if Some(value.as_str()) == truth { 1.0 } else { 0.0 };
            (p - is) * (p - is)
        });
        // A value that was not offered has no probability.
        let missing = if truth.is_some_and(|truth| answer.p(truth).is_none()) { 1.0 } else { 0.0 };
        errors.sum::<f64>() + missing
    });
    json!({
        "count": sure.len(),
        "ece": (!sure.is_empty()).then(|| ece / sure.len() as f64),
        "brier": mean(scores),
        "bins": bins,
    })
}
