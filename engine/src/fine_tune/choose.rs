//! Cross-validates the candidates of one key and fits the one that wins.

use ports::training::KeyReport;
use rayon::prelude::*;

use super::{
    dataset::KeyData,
    folds::folds,
    logistic::{self, Fitted, Form, Problem, Scale},
    score::{HeldOut, gain},
};
use crate::{
    decision::checkpoint::KeyHead,
    train::{ScoredQuestion, TrainError, refit},
};

/// The fewest labels of a key, and of each of two of its classes.
pub(super) const LEAST_LABELS: usize = 8;
const LEAST_OF_CLASS: usize = 2;
const FOLDS: usize = 5;
/// Ridge penalties, from the most to the least, each fitted from the one before.
const RIDGES: [f64; 6] = [5.0, 1.0, 0.3, 0.1, 0.03, 0.01];
/// Rows times options above which fewer folds and penalties are tried.
const LARGE: usize = 200_000;
const FOLDS_OF_LARGE: usize = 3;
const RIDGES_OF_LARGE: [f64; 2] = [1.0, 0.2];
/// The standard errors by which the loss must be lower than zero-shot's.
const LEAST_GAIN: f64 = 1.0;

/// The outcome for a key.
pub(super) struct Chosen {
    pub(super) report: KeyReport,
    /// None where the model as it is answers.
    pub(super) head: Option<KeyHead>,
}

/// A form's held-out answers, with its temperature.
struct Tried {
    name: &'static str,
    form: Form,
    temperature: f64,
    held_out: HeldOut,
}

/// Chooses among the candidates.
///
/// # Errors
/// Cancelled, or numbers that are not finite.
pub(super) fn choose(
    data: &KeyData,
    seed: u64,
    goes_on: &(dyn Fn() -> bool + Sync),
) -> Result<Chosen, TrainError> {
    let mut report = KeyReport {
        key: data.question.key.clone(),
        kind: data.question.kind.as_str().to_owned(),
        labels: data.rows.len(),
        classes: data.classes(),
        left_out: data.left_out(),
        folds: 0,
        candidates: Vec::new(),
        chosen: "zero_shot".into(),
        reason: String::new(),
    };
    if let Some(why) = too_few(data) {
        report.reason = why;
        return Ok(Chosen { report, head: None });
    }
    let large = data.rows.len() * data.values.len() > LARGE;
    report.folds = if large { FOLDS_OF_LARGE } else { FOLDS.min(data.rows.len() / LEAST_OF_CLASS) };
    let labels: Vec<usize> = data.rows.iter().map(|row| row.label).collect();
    let split = folds(&data.rows, report.folds, seed);
    let scale = Scale::of(&data.rows);
    let x = scale.apply(&data.rows);
    let codes = codes(data.values.len());
    let problem = Problem { rows: &data.rows, x: &x, chosen: &[], options: data.values.len(), codes: &codes };
    let mut tried: Vec<Tried> = Vec::new();
    for (name, path) in paths(data, if large { &RIDGES_OF_LARGE } else { &RIDGES }) {
        let folds = (0..report.folds).into_par_iter().map(|fold| {
            let chosen: Vec<usize> = (0..data.rows.len()).filter(|row| split[*row] != fold).collect();
            let problem = Problem { chosen: &chosen, ..problem };
            let mut start = None;
            let mut of_path = Vec::new();
            for form in &path {
                let fitted = logistic::fit(&problem, *form, start.take(), &|| goes_on())?;
                of_path.push(logistic::unscaled(&problem, *form, &fitted, &scale));
                start = Some(fitted);
            }
            Ok(of_path)
        });
        let by_fold: Vec<Vec<Fitted>> = folds.collect::<Result<_, TrainError>>()?;
        for (at, form) in path.into_iter().enumerate() {
            let rows = data.rows.iter().zip(&split);
            let logits: Vec<Vec<f64>> = rows.map(|(row, fold)| by_fold[*fold][at].logits(row)).collect();
            let temperature = temperature(&logits, &labels);
            let held_out = HeldOut::of(&logits, temperature);
            tried.push(Tried { name, form, temperature, held_out });
        }
    }
    let zero_shot = HeldOut { answers: data.rows.iter().map(|row| row.zero_shot.clone()).collect() };
    let best = judge(&zero_shot, &mut tried, &labels, &mut report);
    let Some(best) = best else { return Ok(Chosen { report, head: None }) };
    let all: Vec<usize> = (0..data.rows.len()).collect();
    let problem = Problem { chosen: &all, ..problem };
    let fitted = logistic::fit(&problem, best.form, None, &|| goes_on())?;
    let fitted = logistic::unscaled(&problem, best.form, &fitted, &scale);
    Ok(Chosen { report, head: Some(cooled(fitted, best.temperature)) })
}

/// Why a key cannot be cross-validated.
fn too_few(data: &KeyData) -> Option<String> {
    let labels = data.rows.len();
    if labels < LEAST_LABELS {
        return Some(format!("{labels} labels, where at least {LEAST_LABELS} are needed"));
    }
    let classes = data.counts().into_iter().filter(|count| *count >= LEAST_OF_CLASS).count();
    (classes < 2).then(|| {
        format!("{classes} of its values have {LEAST_OF_CLASS} labels or more, where at least 2 values must")
    })
}

/// The candidates' names and, for each, its forms in the order in which they are fitted.
fn paths(data: &KeyData, ridges: &[f64]) -> Vec<(&'static str, Vec<Form>)> {
    let tuned = data.rows.iter().all(|row| row.tuned.is_some());
    let path = |tuned, ordinal| {
        let form = |ridge: &f64| Form { tuned, ridge: Some(*ridge), ordinal };
        ridges.iter().map(form).collect::<Vec<_>>()
    };
    let without = |tuned| vec![Form { tuned, ridge: None, ordinal: false }];
    let ordinal = data.question.kind.as_str() == "score" && data.values.len() > 2;
    let mut paths = vec![("calibrated", without(false)), ("linear", path(false, false))];
    if ordinal {
        paths.push(("ordinal", path(false, true)));
    }
    if tuned {
        paths.extend([("last_layer", without(true)), ("linear_on_last_layer", path(true, false))]);
    }
    paths
}

/// Picks the winner and writes the scores of all. Of each candidate's forms only the best counts.
fn judge<'a>(
    zero_shot: &HeldOut,
    tried: &'a mut Vec<Tried>,
    labels: &[usize],
    report: &mut KeyReport,
) -> Option<&'a Tried> {
    let before = zero_shot.candidate("zero_shot", labels);
    let loss = |tried: &Tried| tried.held_out.losses(labels).iter().sum::<f64>();
    tried.sort_by(|a, b| a.form.tuned.cmp(&b.form.tuned).then(loss(a).total_cmp(&loss(b))));
    let mut named: Vec<&str> = Vec::new();
    tried.retain(|one| {
        let first = !named.contains(&one.name);
        named.push(one.name);
        first
    });
    report.candidates.push(before.clone());
    // The best so far, which those with a last layer, the last in order, must beat as clearly as it beats zero-shot.
    let mut best = None;
    let mut losses = zero_shot.losses(labels);
    let mut accuracy = before.accuracy;
    for one in tried.iter() {
        let scored = one.held_out.candidate(one.name, labels);
        let own = one.held_out.losses(labels);
        let (mean, error) = gain(&losses, &own);
        if mean > LEAST_GAIN * error && scored.accuracy >= accuracy {
            report.chosen = one.name.to_owned();
            report.reason = format!(
                "held-out loss {:.3} against {:.3}, accuracy {:.1} % against {:.1} %",
                scored.log_loss,
                before.log_loss,
                1e2 * scored.accuracy,
                1e2 * before.accuracy
            );
            (best, losses, accuracy) = (Some(one), own, scored.accuracy);
        }
        report.candidates.push(scored);
    }
    if best.is_none() {
        report.reason =
            "no candidate has a held-out loss that is lower by more than chance explains, and an accuracy \
                         that is not lower"
                .into();
    }
    best
}

fn temperature(logits: &[Vec<f64>], labels: &[usize]) -> f64 {
    let scored = logits.iter().zip(labels).map(|(logits, label)| {
        let mut target = vec![0.0; logits.len()];
        target[*label] = 1.0;
        ScoredQuestion { logits: logits.clone(), target }
    });
    refit(&scored.collect::<Vec<_>>())
}

fn cooled(fitted: Fitted, temperature: f64) -> KeyHead {
    KeyHead {
        zero_shot: fitted.zero_shot / temperature,
        tuned: fitted.tuned / temperature,
        weight: fitted.weight.iter().map(|weight| (f64::from(*weight) / temperature) as f32).collect(),
        bias: fitted.bias.iter().map(|bias| (bias / temperature) as f32).collect(),
        head: None,
    }
}

/// The levels 0, 1, .. with mean 0 and spread 1. Values are in the order of their texts, which begin with the level.
fn codes(options: usize) -> Vec<f64> {
    let mean = (options.max(1) - 1) as f64 / 2.0;
    let spread = ((options * options).max(2) as f64 - 1.0) / 12.0;
    (0..options).map(|level| (level as f64 - mean) / spread.sqrt()).collect()
}
