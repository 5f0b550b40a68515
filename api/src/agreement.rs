//! How well answers agree with ground truths, of Checkpoints and evaluations, in GraphQL and REST alike.

use async_graphql::{ID, SimpleObject};
use domain::{
    foundation::round::significant,
    learning::{agreement, checkpoint},
};
use serde::Serialize;
use utoipa::ToSchema;

/// A Checkpoint beside the model that was live when it was made, on the samples that were held out.
#[derive(Debug, SimpleObject, Serialize, ToSchema)]
pub struct CheckpointMetrics {
    /// Different contents that it was trained on.
    training_samples: u64,
    /// Different contents that were held out: about a fifth, always the same.
    hold_out_samples: u64,
    /// The id of the Checkpoint that was live; null if the base model was.
    #[schema(value_type = Option<String>)]
    live: Option<ID>,
    /// The metrics of each key that has ground truths on the hold-out.
    keys: Vec<KeyComparison>,
    /// What it learnt of the servers that answered for the Judge: one for each model and key with enough ground truths.
    servers: Vec<ServerComparison>,
    /// The difference over all keys; null without ground truths on the hold-out.
    difference: Option<AccuracyDifference>,
    /// Whether it is better than the live model by a confidence bound. Only then, or if it improves the answers of a
    /// server, is it activated automatically.
    better: bool,
    /// Whether the live model answers significantly better.
    worse: bool,
    /// Why it is called better, worse or neither.
    reason: String,
    /// Why its ground truths look swapped: they contradict the live model more than chance would; null if they do not.
    /// With it, the Checkpoint is not activated automatically.
    doubt: Option<String>,
    /// Whether it was activated automatically.
    activated: bool,
}

impl From<checkpoint::Metrics> for CheckpointMetrics {
    fn from(metrics: checkpoint::Metrics) -> Self {
        Self {
            training_samples: metrics.training_samples,
            hold_out_samples: metrics.hold_out_samples,
            live: metrics.live.map(|live| ID(live.to_string())),
            keys: metrics.keys.into_iter().map(KeyComparison::from).collect(),
            servers: metrics.servers.into_iter().map(ServerComparison::from).collect(),
            difference: metrics.difference.map(AccuracyDifference::from),
            better: metrics.verdict.better,
            worse: metrics.verdict.worse,
            reason: metrics.verdict.reason,
            doubt: metrics.doubt,
            activated: metrics.activated,
        }
    }
}

impl From<checkpoint::KeyComparison> for KeyComparison {
    fn from(key: checkpoint::KeyComparison) -> Self {
        Self {
            key: key.key,
            checkpoint: key.checkpoint.into(),
            live: key.live.into(),
            difference: key.difference.map(AccuracyDifference::from),
        }
    }
}

/// A Checkpoint and the live model under one key.
#[derive(Debug, SimpleObject, Serialize, ToSchema)]
pub struct KeyComparison {
    /// The key.
    key: String,
    /// The metrics of the Checkpoint.
    checkpoint: AnswerMetrics,
    /// The metrics of the model that was live.
    live: AnswerMetrics,
    /// The difference under this key.
    difference: Option<AccuracyDifference>,
}

/// A server's model and a Checkpoint under one key, on the samples of the hold-out that the server answered.
#[derive(Debug, SimpleObject, Serialize, ToSchema)]
pub struct ServerComparison {
    /// The server and its model, such as `ollama/qwen3:8b`.
    server_model: String,
    /// The key.
    key: String,
    /// Answers with a ground truth that the correction was fitted on.
    training_answers: u64,
    /// How the server's answers are corrected while the Checkpoint is active: `none`, `temperature`, or `bias` for a
    /// temperature and a bias for each value.
    correction: String,
    /// The temperature: above 1, it flattens the probabilities.
    temperature: f64,
    /// The metrics of the server's answers as it gave them.
    given: AnswerMetrics,
    /// The metrics of the same answers, corrected.
    recalibrated: AnswerMetrics,
    /// The metrics of the Checkpoint's own answers.
    checkpoint: AnswerMetrics,
    /// Whether the Checkpoint's accuracy is no lower, on at least 20 samples. A cascade then keeps its answer.
    checkpoint_suffices: bool,
}

impl From<checkpoint::ServerComparison> for ServerComparison {
    fn from(compared: checkpoint::ServerComparison) -> Self {
        let correction: &str = compared.correction.into();
        Self {
            server_model: compared.server_model,
            key: compared.key,
            training_answers: compared.training_answers,
            correction: correction.to_owned(),
            temperature: significant(compared.temperature),
            given: compared.given.into(),
            recalibrated: compared.recalibrated.into(),
            checkpoint: compared.checkpoint.into(),
            checkpoint_suffices: compared.checkpoint_suffices,
        }
    }
}

/// How well the answers under a key agree with the ground truths.
#[derive(Debug, SimpleObject, Serialize, ToSchema)]
pub struct AnswerMetrics {
    /// The key.
    key: String,
    /// The type of the question: `choice`, `score` or `noul`.
    r#type: String,
    /// Answers with a ground truth. An abstention is a wrong answer.
    count: u64,
    /// The share of right answers.
    accuracy: Option<f64>,
    /// Wilson's interval of 95 % of the accuracy.
    accuracy_interval: Option<Interval>,
    /// The mean of the classes' F1.
    macro_f1: Option<f64>,
    /// Cohen's kappa.
    kappa: Option<f64>,
    /// Cohen's kappa with quadratic weights; for scores.
    weighted_kappa: Option<f64>,
    /// The mean distance of the answered level from the true one; for scores.
    mean_absolute_error: Option<f64>,
    /// The mean cross entropy of the ground truths, in nats.
    log_loss: Option<f64>,
    /// The Brier score: 0 at best, 2 at worst.
    brier: Option<f64>,
    /// The expected calibration error, in 10 bins of equal width.
    ece: Option<f64>,
    /// The confusion matrix: its 400 most frequent cells.
    confusion: Vec<ConfusionCell>,
}

/// A cell of the confusion matrix.
#[derive(Debug, SimpleObject, Serialize, ToSchema)]
pub struct ConfusionCell {
    /// The ground truth.
    pub(crate) truth: String,
    /// The answer; null for abstaining.
    pub(crate) answered: Option<String>,
    /// How often this ground truth got this answer.
    pub(crate) count: u64,
}

/// An interval of 95 %.
#[derive(Debug, SimpleObject, Serialize, ToSchema)]
pub struct Interval {
    /// Its lower end.
    low: f64,
    /// Its upper end.
    high: f64,
}

/// How much better one model answers than another on the same samples.
#[derive(Debug, SimpleObject, Serialize, ToSchema)]
pub struct AccuracyDifference {
    /// Samples that were compared.
    samples: u64,
    /// The difference of the accuracies; positive for the better.
    accuracy: f64,
    /// Its interval of 95 %, by a bootstrap over samples.
    interval: Interval,
    /// Samples of which more keys are answered right.
    wins: u64,
    /// Samples of which fewer keys are answered right.
    losses: u64,
    /// The p-value of a two-sided sign test: how probable so uneven a result would be by chance.
    p_value: f64,
}

impl From<agreement::Difference> for AccuracyDifference {
    fn from(difference: agreement::Difference) -> Self {
        Self {
            samples: difference.samples,
            accuracy: significant(difference.accuracy),
            interval: difference.interval.into(),
            wins: difference.wins,
            losses: difference.losses,
            p_value: significant(difference.p_value),
        }
    }
}

impl From<agreement::Interval> for Interval {
    fn from(interval: agreement::Interval) -> Self {
        Self { low: significant(interval.low), high: significant(interval.high) }
    }
}

impl From<agreement::ConfusionCell> for ConfusionCell {
    fn from(cell: agreement::ConfusionCell) -> Self {
        Self { truth: cell.truth, answered: cell.answered, count: cell.count }
    }
}

impl From<agreement::Confusion> for ConfusionCell {
    fn from(cell: agreement::Confusion) -> Self {
        Self { truth: cell.truth, answered: cell.answered, count: cell.count }
    }
}

impl From<agreement::KeyMetrics> for AnswerMetrics {
    fn from(metrics: agreement::KeyMetrics) -> Self {
        Self {
            key: metrics.key,
            r#type: metrics.kind,
            count: metrics.count,
            accuracy: metrics.accuracy.map(significant),
            accuracy_interval: metrics.accuracy_interval.map(Interval::from),
            macro_f1: metrics.macro_f1.map(significant),
            kappa: metrics.kappa.map(significant),
            weighted_kappa: metrics.weighted_kappa.map(significant),
            mean_absolute_error: metrics.mean_absolute_error.map(significant),
            log_loss: metrics.log_loss.map(significant),
            brier: metrics.brier.map(significant),
            ece: metrics.ece.map(significant),
            confusion: metrics.confusion.into_iter().map(ConfusionCell::from).collect(),
        }
    }
}
