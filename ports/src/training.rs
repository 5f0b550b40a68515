//! The port to the training of Checkpoints: labelled samples in, a head and a report out. Knows no model runtime and no
//! database.

use std::{collections::BTreeMap, sync::Arc};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{
    EngineError,
    decision::{DecisionBackend, Question, State},
};

/// A sample with the ground truths that people gave it.
#[derive(Clone, Debug)]
pub struct TrainingSample {
    pub state: State,
    /// Samples of equal hashes are never on both sides of a split, as duplicates would be. Splits depend on it and on
    /// the seed alone, whatever the order of the samples.
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
    /// The questions that the Judge asks now. Samples are read with these, whichever they were asked with; labels that
    /// are no values of them are left out.
    pub questions: &'a [Question],
    /// The samples, without the hold-out. Each is read once and then dropped, so that they need not be in memory
    /// together. A failure ends training with [`TrainingError::Failed`].
    pub samples: &'a mut (dyn Iterator<Item = Result<TrainingSample, EngineError>> + Send),
    /// The number of samples, or an estimate, for progress.
    pub expected: usize,
    /// The same samples in the same order, seed and machine give the same bytes.
    pub seed: u64,
}

/// The caller's side of a training that runs.
pub trait TrainingControl: Send + Sync {
    /// Whether to stop. Asked several times a second.
    fn cancelled(&self) -> bool;

    /// Takes the share that is done, 0 to 1, which never goes down.
    fn progress(&self, done: f64);

    /// Takes a remark for people.
    fn event(&self, level: Level, message: &str, numbers: Map<String, Value>);
}

/// The weight of a remark.
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
    /// By the order of the questions, for each question with at least one label.
    pub keys: Vec<KeyReport>,
    /// Labels under keys that the Judge no longer asks.
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
    /// Scored on what each was not fitted on. The first is `zero_shot`, the live model.
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
    /// The control said so.
    #[error("cancelled")]
    Cancelled,
    /// No key has enough labels. The message, for people, says which key has what, and what is needed.
    #[error("{0}")]
    TooFewLabels(String),
    /// For the log.
    #[error(transparent)]
    Failed(#[from] EngineError),
}

/// Trains heads on the frozen backbone of the model in process, and answers with them beside serving.
pub trait Trainer: Send + Sync + 'static {
    /// The SHA-256 of the backbone's weight file: of every head that [`train`](Self::train) makes.
    fn backbone(&self) -> &str;

    /// Trains a head. Blocks for seconds to minutes: not for a thread of the async runtime. The work runs on threads
    /// of low priority.
    ///
    /// # Errors
    /// [`TrainingError`]; there is no partial result.
    fn train(
        &self,
        request: TrainingRequest<'_>,
        control: &dyn TrainingControl,
    ) -> Result<Trained, TrainingError>;

    /// A backend that answers like the live model or, with `head`, like a Checkpoint of that artefact, which need not
    /// be stored yet: for evaluation. It has a queue and threads of its own, of low priority, and waits as long as it
    /// takes. Dropping the future of an answer cancels it.
    ///
    /// # Errors
    /// An artefact that is not one, or of another backbone.
    fn evaluator(&self, head: Option<&[u8]>) -> Result<Arc<dyn DecisionBackend>, EngineError>;
}
