//! Fits the temperatures of a backend on labelled questions, and measures what they are worth on others.

use std::collections::BTreeMap;

use chrono::Utc;
use futures_util::{StreamExt, stream};

use super::{
    answer::Answer,
    ask::{Answered, ask},
    backend::{Inference, NamedBackend},
    calibrations::{BackendCalibration, GroupCalibration, QuestionGroup},
    distribution::apply_temperature,
};
use crate::{Code, Error, Result};
use ports::Flow;
use ports::decision::{DecisionInput, DecisionMode, DecisionState, Parameters, Question};

/// Questions that are asked at once.
const AT_ONCE: usize = 4;
/// How often a question waits for a place, each time as long as requests do.
const MAX_TURNS: usize = 40;
/// A group with fewer questions keeps its probabilities.
const MIN_QUESTIONS: usize = 20;
/// The share of questions that may fail.
const MAX_FAILED: f64 = 0.1;
const TEMPERATURES: [f64; 2] = [0.05, 20.0];
const ECE_BINS: usize = 10;

/// A question whose answer is known.
#[derive(Clone, Debug)]
pub struct LabelledQuestion {
    pub state: DecisionState,
    pub question: Question,
    /// The right outcome: an index into the values of the question's kind.
    pub truth: usize,
    /// Whether a temperature is fitted on it; otherwise it measures.
    pub fits: bool,
}

/// A calibration that is not stored yet.
pub struct NewCalibration {
    pub calibration: BackendCalibration,
    /// The number of questions that were not answered.
    pub failed: usize,
    /// Groups with fewer than 20 answers to fit on, or to measure on. They are not calibrated.
    pub left_out: Vec<QuestionGroup>,
}

/// The probabilities of a question's outcomes, and which is right.
struct Graded {
    fits: bool,
    p: Vec<f64>,
    truth: usize,
}

impl Inference {
    /// Asks a backend labelled questions, and fits its temperatures.
    ///
    /// # Errors
    /// `NOT_FOUND` without such a backend; the backend's error when more than a tenth of the questions fail;
    /// `CONFLICT` when several models answer.
    pub async fn calibrate(&self, name: &str, questions: Vec<LabelledQuestion>) -> Result<NewCalibration> {
        let named = self.named.iter().find(|named| named.backend.name() == name);
        let named = named.ok_or_else(|| Error::new(Code::NotFound, unknown(self, name)))?;
        let all = questions.len();
        let asked = stream::iter(questions).map(|question| grade(named, question));
        let mut asked = asked.buffer_unordered(AT_ONCE);
        let mut groups: BTreeMap<QuestionGroup, Vec<Graded>> = BTreeMap::new();
        let mut model: Option<String> = None;
        let mut failed = 0;
        while let Some(done) = asked.next().await {
            match done {
                Ok((group, graded, answered_by)) => {
                    if model.as_ref().is_some_and(|model| *model != answered_by) {
                        let message = format!("{name} answers as several models: pin one with its `model`");
                        return Err(Error::new(Code::Conflict, message));
                    }
                    model = Some(answered_by);
                    groups.entry(group).or_default().push(graded);
                }
                Err(error) => {
                    failed += 1;
                    if failed as f64 > MAX_FAILED * all as f64 {
                        return Err(error);
                    }
                }
            }
        }
        let model = model.ok_or_else(|| Error::internal("no question was asked"))?;
        let mut calibrated = Vec::new();
        let mut left_out = Vec::new();
        for (group, graded) in groups {
            match measure(group, &graded) {
                Some(measured) => calibrated.push(measured),
                None => left_out.push(group),
            }
        }
        let calibration = BackendCalibration {
            backend: name.to_owned(),
            model,
            groups: calibrated,
            created_at: Utc::now(),
        };
        Ok(NewCalibration { calibration, failed, left_out })
    }
}

fn unknown(inference: &Inference, name: &str) -> String {
    let names: Vec<&str> = inference.named.iter().map(|named| named.backend.name()).collect();
    match names.is_empty() {
        true => format!("there is no backend `{name}`: the settings have no [backends.{name}]"),
        false => format!("there is no backend `{name}`; the settings name: {}", names.join(", ")),
    }
}

/// Asks one question.
async fn grade(named: &NamedBackend, labelled: LabelledQuestion) -> Result<(QuestionGroup, Graded, String)> {
    let LabelledQuestion { state, question, truth, fits } = labelled;
    let group = QuestionGroup::of(&question.kind);
    let input = DecisionInput {
        state: state.into_value(),
        questions: [question].into(),
        mode: DecisionMode::Isolated,
        model: None,
        flow: Flow::default(),
        group: None,
        checkpoint: None,
        parameters: Parameters::default(),
    };
    let answered = ask_patiently(named, &input).await?;
    let p = answered.answers.first().map(|(_, answer)| probabilities(answer)).unwrap_or_default();
    Ok((group, Graded { fits, p, truth }, answered.decision.model))
}

/// Asks again while the backend has no place for the question: a slow one works on few at once.
async fn ask_patiently(named: &NamedBackend, input: &DecisionInput) -> Result<Answered> {
    let mut left = MAX_TURNS;
    loop {
        match ask(named.backend.as_ref(), input).await {
            Err(error) if error.code == Code::Overloaded && left > 0 => left -= 1,
            asked => return asked,
        }
    }
}

/// The probability of each outcome, in the order of the question's values.
fn probabilities(answer: &Answer) -> Vec<f64> {
    match answer {
        Answer::Noul { noul, .. } => vec![*noul, 1.0 - noul],
        Answer::Choice { probabilities, .. } | Answer::Score { probabilities, .. } => {
            probabilities.values().map(|p| p.as_f64().unwrap_or_default()).collect()
        }
        Answer::Text { .. } => Vec::new(),
    }
}

/// Fits the temperature of a group and measures it on the questions that it was not fitted on. None where they are few.
fn measure(group: QuestionGroup, graded: &[Graded]) -> Option<GroupCalibration> {
    let fitted: Vec<&Graded> = graded.iter().filter(|graded| graded.fits).collect();
    let measured: Vec<&Graded> = graded.iter().filter(|graded| !graded.fits).collect();
    if fitted.len() < MIN_QUESTIONS || measured.len() < MIN_QUESTIONS {
        return None;
    }
    let fitted = fit(&fitted);
    // One that is worse on questions that it has not seen is not kept.
    let temperature = if loss(&measured, fitted) < loss(&measured, 1.0) { fitted } else { 1.0 };
    let right = measured.iter().filter(|graded| best(&graded.p) == graded.truth).count();
    Some(GroupCalibration {
        group,
        temperature,
        questions: i32::try_from(measured.len()).unwrap_or(i32::MAX),
        accuracy: right as f64 / measured.len() as f64,
        ece_before: ece(&measured, 1.0),
        ece_after: ece(&measured, temperature),
    })
}

/// The temperature of the least log-loss. The loss is convex in the inverse temperature, so that golden sections find
/// its minimum.
fn fit(graded: &[&Graded]) -> f64 {
    let golden = (5.0_f64.sqrt() - 1.0) / 2.0;
    let mut low = 1.0 / TEMPERATURES[1];
    let mut high = 1.0 / TEMPERATURES[0];
    for _ in 0..80 {
        let left = high - golden * (high - low);
        let right = low + golden * (high - low);
        if loss(graded, 1.0 / left) < loss(graded, 1.0 / right) {
            high = right;
        } else {
            low = left;
        }
    }
    1.0 / ((low + high) / 2.0)
}

fn loss(graded: &[&Graded], temperature: f64) -> f64 {
    // In logarithms: a floor under the probabilities would make the loss level at low temperatures, where the golden
    // sections would then stay.
    let losses = graded.iter().map(|graded| {
        let logs: Vec<f64> = graded.p.iter().map(|p| p.max(1e-12).ln() / temperature).collect();
        let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = logs.iter().map(|log| (log - largest).exp()).sum();
        largest + sum.ln() - logs.get(graded.truth).copied().unwrap_or(largest)
    });
    losses.sum::<f64>() / graded.len() as f64
}

/// The expected calibration error: how far certainty and accuracy are apart, in bins of equal width, weighted by the
/// answers in them (Guo et al. 2017).
fn ece(graded: &[&Graded], temperature: f64) -> f64 {
    let mut bins = [EceBin::default(); ECE_BINS];
    for graded in graded {
        let mut p = graded.p.clone();
        apply_temperature(&mut p, temperature);
        let top = best(&p);
        let certainty = p.get(top).copied().unwrap_or_default();
        let bin = &mut bins[((certainty * ECE_BINS as f64) as usize).min(ECE_BINS - 1)];
        bin.certainty += certainty;
        bin.right += f64::from(u8::from(top == graded.truth));
    }
    bins.iter().map(|bin| (bin.right - bin.certainty).abs()).sum::<f64>() / graded.len() as f64
}

/// The sums of one bin.
#[derive(Clone, Copy, Default)]
struct EceBin {
    certainty: f64,
    right: f64,
}

fn best(p: &[f64]) -> usize {
    (0..p.len()).fold(0, |best, at| if p[at] > p[best] { at } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Answers of which `right` in a hundred are right, each with a certainty of `p`.
    fn answers(p: f64, right: usize) -> Vec<Graded> {
        (0..100)
            .map(|at| {
                let truth = usize::from(at / 2 % 50 >= right / 2);
                Graded { fits: at % 2 == 0, p: vec![p, 1.0 - p], truth }
            })
            .collect()
    }

    #[test]
    fn too_much_certainty_is_flattened_and_too_little_sharpened() {
        let bold = measure(QuestionGroup::Noul, &answers(0.99, 80)).unwrap();
        assert!((bold.accuracy, (bold.ece_before - 0.19).abs() < 1e-9) == (0.8, true), "{bold:?}");
        assert!(bold.temperature > 3.0 && bold.ece_after < 0.01, "{bold:?}");
        let shy = measure(QuestionGroup::Noul, &answers(0.6, 90)).unwrap();
        assert!(shy.temperature < 0.3 && shy.ece_after < 0.01, "{shy:?}");
        assert_eq!(measure(QuestionGroup::Noul, &answers(0.6, 90)[..30]), None);
    }

    #[test]
    fn a_temperature_that_does_not_hold_on_other_questions_is_not_kept() {
        let bold = answers(0.99, 80).into_iter().filter(|graded| graded.fits);
        let right = answers(0.99, 100).into_iter().filter(|graded| !graded.fits);
        let measured = measure(QuestionGroup::Noul, &bold.chain(right).collect::<Vec<_>>()).unwrap();
        assert_eq!((measured.temperature, measured.ece_after), (1.0, measured.ece_before));
    }
}
