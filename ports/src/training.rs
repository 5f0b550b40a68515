//! The port to the training of Checkpoints: labelled samples in, a head and a report out. Knows no model runtime and no
//! database.

use std::{collections::BTreeMap, sync::Arc};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{
    EngineError,
    decision::{DecisionBackend, DecisionState, Question},
};

/// A sample with the ground truths that people gave it.
#[derive(Clone, Debug)]
pub struct TrainingSample {
    pub state: DecisionState,
    /// Samples with the same hash stay on the same side of a split, since they are duplicates. Splits depend on the
    /// hashes and the seed alone, not on the order of the samples.
    pub content_hash: u64,
    /// One for each key that has a ground truth.
    pub labels: Vec<TrainingLabel>,
}

/// The ground truth under one key.
#[derive(Clone, Debug)]
pub struct TrainingLabel {
    /// The question as it was asked. Its key is the label's.
    pub asked: Arc<Question>,
    /// A value of that question, as [`QuestionKind::values`](crate::decision::QuestionKind::values) lists them: an
    /// option, a level's number, `true` or `false`.
    pub value: String,
}

/// What to train.
pub struct TrainingRequest<'a> {
    /// The questions that the Judge asks now. Samples are read with these, even if they were asked others. Labels that
    /// are not among their values are left out.
    pub questions: &'a [Question],
    /// The samples, without the hold-out. Each is read once and then dropped, so that they need not be in memory
    /// together. A failure ends training with [`TrainingError::Failed`].
    pub samples: &'a mut (dyn Iterator<Item = Result<TrainingSample, EngineError>> + Send),
    /// The number of samples, or an estimate, for progress.
    pub expected: usize,
    /// On one machine, the same samples in the same order and the same seed give the same bytes.
    pub seed: u64,
}

/// The caller's control of a running training.
pub trait TrainingControl: Send + Sync {
    /// Whether to stop. Asked several times a second on the training's threads, where it may take minutes: then other
    /// work goes first.
    fn cancelled(&self) -> bool;

    /// Takes the progress, 0 to 1, which never decreases.
    fn progress(&self, done: f64);

    /// Takes a remark for people.
    fn event(&self, level: Level, message: &str, numbers: Map<String, Value>);
}

/// The severity of a remark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    Info,
    Warning,
}

/// A trained head.
#[derive(Clone, Debug)]
pub struct Trained {
    /// A safetensors file, of some kilobytes or up to 3 MB. Stored by its SHA-256.
    pub head: Vec<u8>,
    /// The SHA-256 of the backbone's weight file, in hexadecimal. No other backbone takes the head.
    pub backbone: String,
    pub report: TrainingReport,
}

/// What was tried and why the result is as it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrainingReport {
    /// Samples that were read.
    pub samples: usize,
    /// One for each question with at least one label, in the order of the questions.
    pub keys: Vec<KeyReport>,
    /// Labels under keys that the Judge no longer asks about.
    pub unknown_keys: BTreeMap<String, usize>,
    /// Whether any key is answered better, by cross-validation, than by the live model. Otherwise the head answers as
    /// the live model does.
    pub improved: bool,
    pub seconds: f64,
}

/// What was tried for one key.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KeyReport {
    pub key: String,
    /// `choice`, `score` or `noul`.
    pub kind: String,
    /// Labels that were used.
    pub labels: usize,
    /// The number of labels for each value of the question, 0 included.
    pub classes: BTreeMap<String, usize>,
    pub left_out: Vec<LeftOut>,
    /// Folds of the cross-validation; 0 when there were too few labels for one.
    pub folds: usize,
    /// Each is scored on samples that it was not fitted on. The first is `zero_shot`, the live model.
    pub candidates: Vec<Candidate>,
    /// The name of the candidate that answers from now on.
    pub chosen: String,
    /// Why, in a sentence.
    pub reason: String,
}

/// Labels that were not used, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// Such as `no longer an option`.
    pub reason: String,
    pub labels: usize,
}

/// A candidate's scores in cross-validation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// `zero_shot`, `linear`, `head` and the like.
    pub name: String,
    pub accuracy: f64,
    /// The mean recall over the classes that have labels.
    pub balanced_accuracy: f64,
    /// Mean cross entropy in nats.
    pub log_loss: f64,
    /// Expected calibration error of the most probable outcome, in 10 bins of equal width.
    pub ece: f64,
}

/// Why there is no head.
#[derive(Debug, thiserror::Error)]
pub enum TrainingError {
    /// The control asked to stop.
    #[error("cancelled")]
    Cancelled,
    /// No key has enough labels. The message, for people, says how many each key has, and how many are needed.
    #[error("{0}")]
    TooFewLabels(String),
    /// For the log.
    #[error(transparent)]
    Failed(#[from] EngineError),
}

/// Trains heads on the frozen backbone of the model in process, and answers with them while that model serves.
pub trait Trainer: Send + Sync + 'static {
    /// The SHA-256 of the weight file of the backbone for which [`train`](Self::train) makes heads.
    fn backbone(&self) -> &str;

    /// Trains a head, on threads of low priority. Blocks for seconds to minutes, so do not call it on a thread of the
    /// async runtime.
    ///
    /// # Errors
    /// [`TrainingError`]; there is no partial result.
    fn train(
        &self,
        request: TrainingRequest<'_>,
        control: &dyn TrainingControl,
    ) -> Result<Trained, TrainingError>;

    /// A backend for evaluation. It answers like the live model or, with `head`, like a Checkpoint of that artefact,
    /// which need not be stored yet. It has a queue and low-priority threads of its own, and waits as long as it takes.
    /// Dropping the future of an answer cancels it.
    ///
    /// # Errors
    /// `head` is no artefact, or belongs to another backbone.
    fn evaluator(&self, head: Option<&[u8]>) -> Result<Arc<dyn DecisionBackend>, EngineError>;
}
