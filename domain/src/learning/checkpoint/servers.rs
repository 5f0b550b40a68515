//! What a Checkpoint learns of the servers that answered for its Judge: how their answers are corrected, and whether
//! they are needed.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};

use super::{
    recalibrate::{self, CorrectionKind, Fitted, MIN_ANSWERS},
    server_answers::ServerAnswer,
};
use crate::{
    Result,
    learning::agreement::{GradedAnswer, KeyMetrics, MIN_SAMPLES, Pair, metrics},
    operations::inference::{Answer, Recalibration},
};
use ports::decision::{Parameters, Question};

/// Maximum models that are compared; those with the most answers are.
const MAX_MODELS: usize = 5;

/// A server's model beside the Checkpoint under one key, on the samples of the hold-out that it answered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ServerComparison {
    /// The server and its model, such as `ollama/qwen3:8b`.
    pub server_model: String,
    pub key: String,
    /// Labelled answers that the correction was fitted on.
    pub training_answers: u64,
    pub correction: CorrectionKind,
    pub temperature: f64,
    /// Its answers as it gave them.
    pub given: KeyMetrics,
    /// Its answers as they are corrected.
    pub recalibrated: KeyMetrics,
    /// The Checkpoint's answers to the same samples.
    pub checkpoint: KeyMetrics,
    /// Whether the Checkpoint's accuracy is no lower, on at least 20 samples.
    pub checkpoint_suffices: bool,
}

impl ServerComparison {
    /// Whether the correction helps, on what can be seen of it.
    pub(super) fn improves(&self) -> bool {
        let losses = self.given.log_loss.zip(self.recalibrated.log_loss);
        self.correction != CorrectionKind::None && losses.is_none_or(|(before, after)| after <= before)
    }
}

/// What was learnt of servers.
#[derive(Default)]
pub(super) struct Servers {
    pub(super) comparisons: Vec<ServerComparison>,
    pub(super) recalibrations: Vec<Recalibration>,
}

/// The labelled answers of servers.
pub(super) struct LabelledAnswers {
    pub(super) training: Vec<ServerAnswer>,
    pub(super) hold_out: Vec<ServerAnswer>,
}

impl LabelledAnswers {
    /// Fits a correction for each model and question with enough answers, and compares it with the Checkpoint by its
    /// answers to the hold-out in `pairs`.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` when a question cannot be written as JSON.
    pub(super) fn learn(
        &self,
        questions: &[Question],
        parameters: &Parameters,
        pairs: &[Pair],
    ) -> Result<Servers> {
        let own: HashMap<(usize, usize), &GradedAnswer> =
            pairs.iter().map(|pair| ((pair.sample, pair.key), &pair.new)).collect();
        let mut learnt = Servers::default();
        for model in self.models() {
            for (at, question) in questions.iter().enumerate() {
                let training = of(&self.training, model, at);
                if training.len() < MIN_ANSWERS {
                    continue;
                }
                let fitted = recalibrate::fit(&training);
                let mut recalibration = recalibration(model, question, &fitted)?;
                let mut graded = Grades::default();
                for answer in of(&self.hold_out, model, at) {
                    let sample = usize::try_from(answer.seq).unwrap_or_default();
                    let Some(own) = own.get(&(sample, at)) else { continue };
                    graded.add(answer, own, question, &recalibration, parameters);
                }
                let comparison = graded.compare(question, fitted, &recalibration, training.len());
                recalibration.checkpoint_suffices = comparison.checkpoint_suffices;
                learnt.comparisons.push(comparison);
                learnt.recalibrations.push(recalibration);
            }
        }
        Ok(learnt)
    }

    /// The models with the most answers, most first.
    fn models(&self) -> Vec<&str> {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for answer in &self.training {
            *counts.entry(&answer.server_model).or_default() += 1;
        }
        let mut models: Vec<&str> = counts.keys().copied().collect();
        models.sort_by_key(|model| std::cmp::Reverse(counts[model]));
        models.truncate(MAX_MODELS);
        models
    }
}

fn of<'a>(answers: &'a [ServerAnswer], model: &str, question: usize) -> Vec<&'a ServerAnswer> {
    answers.iter().filter(|answer| answer.server_model == model && answer.question == question).collect()
}

fn recalibration(model: &str, question: &Question, fitted: &Fitted) -> Result<Recalibration> {
    let bias = question.kind.values().into_iter().zip(&fitted.bias).filter(|(_, bias)| **bias != 0.0);
    Ok(Recalibration {
        server_model: model.to_owned(),
        key: question.key.clone(),
        question: Recalibration::question_hash(question)?,
        temperature: fitted.temperature,
        bias: bias.map(|(value, bias)| (value, *bias)).collect(),
        checkpoint_suffices: false,
    })
}

/// The graded answers to one question on the hold-out.
#[derive(Default)]
struct Grades {
    given: Vec<GradedAnswer>,
    recalibrated: Vec<GradedAnswer>,
    checkpoint: Vec<GradedAnswer>,
}

impl Grades {
    fn add(
        &mut self,
        answer: &ServerAnswer,
        own: &GradedAnswer,
        question: &Question,
        recalibration: &Recalibration,
        parameters: &Parameters,
    ) {
        let values = question.kind.values();
        let truth = &values[answer.truth];
        let mut corrected = answer.probabilities.clone();
        recalibration.apply(&values, &mut corrected);
        let given = Answer::from_probabilities(question, answer.probabilities.clone(), parameters);
        let corrected = Answer::from_probabilities(question, corrected, parameters);
        self.given.push(GradedAnswer::of(&question.key, &given, truth));
        self.recalibrated.push(GradedAnswer::of(&question.key, &corrected, truth));
        self.checkpoint.push(own.clone());
    }

    fn compare(
        &self,
        question: &Question,
        fitted: Fitted,
        recalibration: &Recalibration,
        training_answers: usize,
    ) -> ServerComparison {
        let recalibrated = of_key(question, &self.recalibrated);
        let checkpoint = of_key(question, &self.checkpoint);
        let enough = self.checkpoint.len() >= MIN_SAMPLES;
        ServerComparison {
            server_model: recalibration.server_model.clone(),
            key: question.key.clone(),
            training_answers: training_answers as u64,
            correction: fitted.correction,
            temperature: fitted.temperature,
            given: of_key(question, &self.given),
            checkpoint_suffices: enough && checkpoint.accuracy >= recalibrated.accuracy,
            recalibrated,
            checkpoint,
        }
    }
}

fn of_key(question: &Question, graded: &[GradedAnswer]) -> KeyMetrics {
    metrics(&question.key, question.kind.answer_name(), &graded.iter().collect::<Vec<_>>())
}
