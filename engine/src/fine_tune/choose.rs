//! Cross-validates the candidates of one key and fits the one that wins.

use ports::training::KeyReport;
use rayon::prelude::*;

use super::{
    dataset::KeyData,
    folds::folds,
    logistic::{self, Fitted, Form, Problem, Scale},
    score::{Gain, HeldOut},
};
use crate::{
    decision::key_head::KeyHead,
    train::{ScoredQuestion, TrainError, refit},
};

/// The fewest labels of a key, and of each of two of its classes.
pub(super) const LEAST_LABELS: usize = 8;
const LEAST_OF_CLASS: usize = 2;
const FOLDS: usize = 5;
/// Ridge penalties, from the greatest to the least; each fit starts from the one before.
const RIDGES: [f64; 6] = [5.0, 1.0, 0.3, 0.1, 0.03, 0.01];
/// Rows times options above which fewer folds and penalties are tried.
const LARGE: usize = 200_000;
const FOLDS_OF_LARGE: usize = 3;
const RIDGES_OF_LARGE: [f64; 2] = [1.0, 0.2];
/// The share by which a held-out loss may be higher than before, by chance, before further penalties are left out.
const CHANCE: f64 = 0.002;
/// The number of standard errors by which the loss must be lower than zero-shot's.
const LEAST_GAIN: f64 = 1.0;
const NO_CANDIDATE: &str = "no candidate has a cross-validated loss that is lower by more than chance \
                             explains and at least the same accuracy";

/// The result for a key.
pub(super) struct Chosen {
    pub(super) report: KeyReport,
    /// `None` where the base model answers.
    pub(super) head: Option<KeyHead>,
}

/// A candidate and the forms that it tries, in the order in which they are fitted.
struct CandidateForms {
    name: &'static str,
    forms: Vec<Form>,
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
    let scale = Scale::of(&data.rows);
    let x = scale.apply(&data.rows);
    let codes = codes(data.values.len());
    let problem = Problem { rows: &data.rows, x: &x, chosen: &[], options: data.values.len(), codes: &codes };
    let split = folds(&data.rows, report.folds, seed);
    let validation = CrossValidation { problem, scale: &scale, split: &split, folds: report.folds, goes_on };
    let labels: Vec<usize> = data.rows.iter().map(|row| row.label).collect();
    let mut tried: Vec<Tried> = Vec::new();
    for candidate in candidates(data, if large { &RIDGES_OF_LARGE } else { &RIDGES }) {
        let without_features =
            tried.iter().find(|one| one.form == Form { ridge: None, ..candidate.forms[0] });
        let before = without_features.map_or(f64::INFINITY, |one| one.total_loss(&labels));
        tried.extend(validation.run(&candidate, &labels, before)?);
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

/// The cross-validation of one key.
struct CrossValidation<'a> {
    problem: Problem<'a>,
    scale: &'a Scale,
    /// The fold of each row.
    split: &'a [usize],
    folds: usize,
    goes_on: &'a (dyn Fn() -> bool + Sync),
}

impl CrossValidation<'_> {
    /// Tries the forms of a candidate. Penalties fall from form to form: once the held-out loss rises from that of the
    /// form before, or of the form without features, `before`, it would rise further.
    fn run(
        &self,
        candidate: &CandidateForms,
        labels: &[usize],
        before: f64,
    ) -> Result<Vec<Tried>, TrainError> {
        let mut tried: Vec<Tried> = Vec::new();
        let mut starts: Vec<Option<Vec<f64>>> = vec![None; self.folds];
        let mut least = before;
        for form in &candidate.forms {
            let folds = starts.into_par_iter().enumerate();
            let folds = folds.map(|(fold, start)| self.fit(fold, *form, start));
            let by_fold: Vec<FoldFit> = folds.collect::<Result<_, TrainError>>()?;
            let rows = self.problem.rows.iter().zip(self.split);
            let logits: Vec<Vec<f64>> = rows.map(|(row, fold)| by_fold[*fold].fitted.logits(row)).collect();
            let temperature = temperature(&logits, labels);
            let held_out = HeldOut::of(&logits, temperature);
            let one = Tried { name: candidate.name, form: *form, temperature, held_out };
            let loss = one.total_loss(labels);
            tried.push(one);
            if loss > least * (1.0 + CHANCE) {
                break;
            }
            least = least.min(loss);
            starts = by_fold.into_iter().map(|fold| Some(fold.variables)).collect();
        }
        Ok(tried)
    }

    /// Fits a form on all rows but those of a fold.
    fn fit(&self, fold: usize, form: Form, start: Option<Vec<f64>>) -> Result<FoldFit, TrainError> {
        let chosen: Vec<usize> = (0..self.split.len()).filter(|row| self.split[*row] != fold).collect();
        let problem = Problem { chosen: &chosen, ..self.problem };
        let variables = logistic::fit(&problem, form, start, &|| (self.goes_on)())?;
        let fitted = logistic::unscaled(&problem, form, &variables, self.scale);
        Ok(FoldFit { fitted, variables })
    }
}

/// A form fitted on all rows but those of a fold, and the variables from which the next penalty starts.
struct FoldFit {
    fitted: Fitted,
    variables: Vec<f64>,
}

/// Why a key cannot be cross-validated.
fn too_few(data: &KeyData) -> Option<String> {
    let labels = data.rows.len();
    if labels < LEAST_LABELS {
        return Some(format!("at least {LEAST_LABELS} labels are needed, not {labels}"));
    }
    let classes = data.counts().into_iter().filter(|count| *count >= LEAST_OF_CLASS).count();
    (classes < 2).then(|| {
        let few = if classes == 0 { "none of its values has" } else { "only one of its values has" };
        format!("{few} at least {LEAST_OF_CLASS} labels; at least 2 values are needed")
    })
}

fn candidates(data: &KeyData, ridges: &[f64]) -> Vec<CandidateForms> {
    let is_tuned = data.rows.iter().all(|row| row.tuned.is_some());
    let is_ordinal = data.question.kind.as_str() == "score" && data.values.len() > 2;
    let calibrated = Form { tuned: false, ridge: None, ordinal: false };
    let last_layer = Form { tuned: true, ..calibrated };
    let mut all = vec![
        CandidateForms { name: "calibrated", forms: vec![calibrated] },
        CandidateForms { name: "linear", forms: with_ridges(calibrated, ridges) },
    ];
    if is_ordinal {
        let ordinal = Form { ordinal: true, ..calibrated };
        all.push(CandidateForms { name: "ordinal", forms: with_ridges(ordinal, ridges) });
    }
    if is_tuned {
        all.push(CandidateForms { name: "last_layer", forms: vec![last_layer] });
        all.push(CandidateForms { name: "linear_on_last_layer", forms: with_ridges(last_layer, ridges) });
    }
    all
}

/// A form with features, once for each penalty.
fn with_ridges(form: Form, ridges: &[f64]) -> Vec<Form> {
    ridges.iter().map(|ridge| Form { ridge: Some(*ridge), ..form }).collect()
}

/// Chooses the winner and reports the scores of all candidates. Only the best form of each candidate counts.
fn judge<'a>(
    zero_shot: &HeldOut,
    tried: &'a mut Vec<Tried>,
    labels: &[usize],
    report: &mut KeyReport,
) -> Option<&'a Tried> {
    let before = zero_shot.candidate("zero_shot", labels);
    tried.sort_by(|a, b| {
        a.form.tuned.cmp(&b.form.tuned).then(a.total_loss(labels).total_cmp(&b.total_loss(labels)))
    });
    let mut named: Vec<&str> = Vec::new();
    tried.retain(|one| {
        let first = !named.contains(&one.name);
        named.push(one.name);
        first
    });
    report.candidates.push(before.clone());
    // Candidates with a last layer come last and must beat the best of the others by as much as it beats zero-shot.
    let mut best = None;
    let mut losses = zero_shot.losses(labels);
    let mut accuracy = before.accuracy;
    for one in tried.iter() {
        let scored = one.held_out.candidate(one.name, labels);
        let own = one.held_out.losses(labels);
        let gain = Gain::of(&losses, &own);
        if gain.mean > LEAST_GAIN * gain.standard_error && scored.accuracy >= accuracy {
            report.chosen = one.name.to_owned();
            report.reason = format!(
                "cross-validated loss {:.3} against {:.3}, accuracy {:.1} % against {:.1} %",
                scored.log_loss,
                before.log_loss,
                1e2 * scored.accuracy,
                1e2 * before.accuracy
            );
            best = Some(one);
            losses = own;
            accuracy = scored.accuracy;
        }
        report.candidates.push(scored);
    }
    if best.is_none() {
        report.reason = NO_CANDIDATE.into();
    }
    best
}

impl Tried {
    fn total_loss(&self, labels: &[usize]) -> f64 {
        self.held_out.losses(labels).iter().sum()
    }
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

/// The levels 0, 1, .. scaled to a mean of 0 and a variance of 1. Values are in the order of their texts, which begin
/// with the level.
fn codes(options: usize) -> Vec<f64> {
    let mean = (options.max(1) - 1) as f64 / 2.0;
    let spread = ((options * options).max(2) as f64 - 1.0) / 12.0;
    (0..options).map(|level| (level as f64 - mean) / spread.sqrt()).collect()
}

#[cfg(test)]
mod tests {
    use rand::{Rng, SeedableRng, rngs::StdRng};

    use super::*;
    use crate::fine_tune::dataset::LabelledRow;

    /// The losses of `linear` for the penalties that are tried, and for each of all. Rows are of two classes, of whose
    /// features one tells the class as far as `signal` goes.
    fn losses(signal: f32, seed: u64) -> (Vec<f64>, Vec<f64>) {
        let mut random = StdRng::seed_from_u64(seed);
        let rows: Vec<LabelledRow> = (0..120)
            .map(|n| {
                let mut features: Vec<f32> = (0..60).map(|_| random.random_range(-1.0..1.0)).collect();
                features[0] += if n % 2 == 0 { signal } else { -signal };
                let zero_shot = vec![0.5f64.ln(); 2];
                let label = (n % 2) as usize;
                LabelledRow { content_hash: n, label, zero_shot, tuned: None, features, example: None }
            })
            .collect();
        let labels: Vec<usize> = rows.iter().map(|row| row.label).collect();
        let scale = Scale::of(&rows);
        let x = scale.apply(&rows);
        let problem = Problem { rows: &rows, x: &x, chosen: &[], options: 2, codes: &codes(2) };
        let split = folds(&rows, FOLDS, 1);
        let validation =
            CrossValidation { problem, scale: &scale, split: &split, folds: FOLDS, goes_on: &|| true };
        let plain = Form { tuned: false, ridge: None, ordinal: false };
        let before = tried_losses(&validation, &labels, &[plain], f64::INFINITY)[0];
        let all = with_ridges(plain, &RIDGES);
        let each = all.iter().map(|form| tried_losses(&validation, &labels, &[*form], f64::INFINITY)[0]);
        (tried_losses(&validation, &labels, &all, before), each.collect())
    }

    fn tried_losses(
        validation: &CrossValidation<'_>,
        labels: &[usize],
        forms: &[Form],
        before: f64,
    ) -> Vec<f64> {
        let candidate = CandidateForms { name: "linear", forms: forms.to_vec() };
        let tried = validation.run(&candidate, labels, before).unwrap();
        tried.iter().map(|one| one.total_loss(labels)).collect()
    }

    fn least(losses: &[f64]) -> f64 {
        losses.iter().copied().fold(f64::INFINITY, f64::min)
    }

    #[test]
    fn penalties_that_show_no_gain_are_left_out_and_the_best_is_not() {
        let mut of_noise = 0;
        for seed in 0..8 {
            for signal in [0.0, 0.3, 2.0] {
                let (tried, each) = losses(signal, seed);
                assert!(least(&tried) < 1.03 * least(&each), "{signal}, {seed}: {tried:?} of {each:?}");
                of_noise += if signal == 0.0 { tried.len() } else { 0 };
            }
        }
        assert!(of_noise < 8 * RIDGES.len() / 2, "{of_noise} fits of noise");
    }
}
