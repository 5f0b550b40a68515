//! The JSON shapes of evaluation runs.

use chrono::{DateTime, Utc};
use domain::{
    Error, Result,
    learning::{
        dataset::SampleFilter,
        evaluation::{
            Estimate, Evaluation, EvaluationMetrics, EvaluationOrder, EvaluationScope, NewEvaluation,
        },
        sample::Source,
    },
    money::amount::Amount,
};
use ports::id::JudgeId;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    agreement::AnswerMetrics,
    evaluated_model::{EvaluatedModelNames, evaluated_model},
    extract::{or_default, version},
};

/// What REST calls the fields.
const NAMES: EvaluatedModelNames =
    EvaluatedModelNames { checkpoint: "checkpoint_id", zero_shot: "zero_shot" };

/// What to evaluate: a version of the Judge with its active Checkpoint, with the base model, or with a Checkpoint or a
/// backend that you name.
#[derive(Debug, Deserialize, ToSchema)]
pub struct EvaluationRequest {
    /// The version whose questions are asked; by default the newest.
    #[serde(default, deserialize_with = "version")]
    #[schema(minimum = 1)]
    pub version: Option<i32>,
    /// The Checkpoint that answers; by default the active one, if there is one.
    pub checkpoint_id: Option<String>,
    /// Whether the base model answers, without a Checkpoint.
    #[serde(default, deserialize_with = "or_default")]
    #[schema(default = false)]
    pub zero_shot: bool,
    /// The backend that answers, as `NAME` or `NAME/model`, at its price.
    #[schema(example = "ollama")]
    pub backend: Option<String>,
    /// Only labelled samples that match this filter.
    #[serde(default, deserialize_with = "or_default")]
    pub filter: EvaluationFilter,
    /// Which of these, by what the Checkpoint that answers was trained on, since those that it was trained on flatter
    /// it: `unseen` ones, by default; those `held_out` of its training; `new` ones, since it was submitted; or `all`.
    #[schema(pattern = "^(unseen|held_out|new|all)$", default = "unseen")]
    pub scope: Option<String>,
    /// The credits that it may cost at most; if it costs more, it is not started, and the answer says what it costs.
    #[serde(default, deserialize_with = "or_default")]
    #[schema(default = 0.0, minimum = 0, example = 250.0)]
    pub max_credits: f64,
    /// Empty. A flattened field makes serde accept objects alone; without it serde accepts an array of the values
    /// too.
    #[serde(flatten)]
    #[schema(ignore)]
    pub only_objects: (),
}

/// Selects labelled samples.
#[derive(Debug, Default, Deserialize, Serialize, ToSchema)]
pub struct EvaluationFilter {
    /// Recorded or imported at this time or later.
    pub since: Option<DateTime<Utc>>,
    /// Recorded or imported before this time.
    pub until: Option<DateTime<Utc>>,
    /// Of this version of the Judge.
    #[serde(default, deserialize_with = "version")]
    #[schema(minimum = 0)]
    pub version: Option<i32>,
    /// `inference` for requests through the Judge, `import` for imported files.
    #[schema(pattern = "^(inference|import)$")]
    pub source: Option<String>,
    /// Empty. A flattened field makes serde accept objects alone; without it serde accepts an array of the values
    /// too.
    #[serde(flatten, skip_serializing)]
    #[schema(ignore)]
    pub only_objects: (),
}

impl EvaluationRequest {
    /// What to evaluate, and the credits that it may cost.
    pub(super) fn read(self, judge: JudgeId) -> Result<EvaluationOrder> {
        let Self { version, checkpoint_id, zero_shot, backend, filter, scope, max_credits, only_objects: () } =
            self;
        if max_credits < 0.0 {
            return Err(Error::invalid("max_credits", "must not be negative"));
        }
        let max_credits = Amount::from_credits("max_credits", max_credits)?;
        let model = evaluated_model(checkpoint_id.as_deref(), zero_shot, backend, NAMES)?;
        let filter = filter.read()?;
        let scope = scope.as_deref().map_or(Ok(EvaluationScope::default()), EvaluationScope::read)?;
        let evaluation = NewEvaluation { judge, version, model, filter, scope };
        Ok(EvaluationOrder { evaluation, max_credits })
    }
}

impl EvaluationFilter {
    fn read(self) -> Result<SampleFilter> {
        let Self { since, until, version, source, only_objects: () } = self;
        let source = match source.as_deref() {
            None => None,
            Some("inference") => Some(Source::Inference),
            Some("import") => Some(Source::Import),
            Some(_) => return Err(Error::invalid("filter.source", "must be one of: inference, import")),
        };
        Ok(SampleFilter { since, until, version, source, labelled: None })
    }
}

impl From<SampleFilter> for EvaluationFilter {
    fn from(filter: SampleFilter) -> Self {
        let SampleFilter { since, until, version, source, labelled: _ } = filter;
        let source = source.map(|source| <&str>::from(source).to_owned());
        Self { since, until, version, source, only_objects: () }
    }
}

/// What an evaluation would cost.
#[derive(Debug, Serialize, ToSchema)]
pub struct EvaluationPriceResponse {
    /// Labelled samples, each of which is one inference.
    #[schema(example = 120)]
    pub samples: u64,
    /// Credits for each.
    #[schema(example = 0.5)]
    pub price: f64,
    /// Credits for all.
    #[schema(example = 60.0)]
    pub credits: f64,
}

impl From<Estimate> for EvaluationPriceResponse {
    fn from(of: Estimate) -> Self {
        Self { samples: of.samples, price: of.price.credits(), credits: of.total.credits() }
    }
}

/// A run of a Judge's version, or of a Checkpoint, over the Judge's labelled samples.
#[derive(Debug, Serialize, ToSchema)]
pub struct EvaluationResponse {
    /// Identifier of the evaluation.
    #[schema(example = "eval_01kahd7f3ye9pvsk8h0a5m5x31")]
    pub id: String,
    /// Always `evaluation`.
    #[schema(example = "evaluation")]
    pub object: &'static str,
    /// The Judge whose samples are read.
    pub judge_id: String,
    /// The version whose questions are asked.
    pub judge_version: i32,
    /// The Checkpoint that answers; null for the base model or a backend.
    pub checkpoint_id: Option<String>,
    /// The backend that answers; absent for the model in process.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub backend: Option<String>,
    /// Which labelled samples it reads: `unseen`, `held_out`, `new` or `all`.
    #[schema(example = "unseen")]
    pub scope: &'static str,
    /// The filter on its samples.
    pub filter: EvaluationFilter,
    /// `queued`, `running`, `succeeded`, `failed` or `cancelled`.
    #[schema(example = "running")]
    pub status: &'static str,
    /// Labelled samples when it was started.
    #[schema(example = 120)]
    pub samples: u64,
    /// Samples that were answered so far, each of which was charged.
    #[schema(example = 50)]
    pub done: u64,
    /// Credits for a sample.
    #[schema(example = 0.5)]
    pub price: f64,
    /// The figures of each key, on samples that the Checkpoint was not trained on; empty until it succeeds.
    pub metrics: Vec<AnswerMetrics>,
    /// The figures of each key, on samples that the Checkpoint was trained on, which flatter it; empty unless the scope
    /// is `all`.
    pub trained_metrics: Vec<AnswerMetrics>,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub error: Option<String>,
    /// Who started it: the id of a user or an API key.
    pub created_by: String,
    pub created_at: DateTime<Utc>,
    pub started_at: Option<DateTime<Utc>>,
    pub finished_at: Option<DateTime<Utc>>,
}

impl EvaluationResponse {
    pub(super) fn new(of: Evaluation, metrics: EvaluationMetrics) -> Self {
        Self {
            id: of.id.to_string(),
            object: "evaluation",
            judge_id: of.judge.to_string(),
            judge_version: of.version,
            checkpoint_id: of.checkpoint.map(|checkpoint| checkpoint.to_string()),
            backend: of.backend,
            scope: of.scope.as_str(),
            filter: of.filter.into(),
            status: of.state.as_str(),
            samples: of.samples,
            done: of.done,
            price: of.price.credits(),
            metrics: metrics.unseen.into_iter().map(AnswerMetrics::from).collect(),
            trained_metrics: metrics.trained.into_iter().map(AnswerMetrics::from).collect(),
            error: of.error,
            created_by: of.created_by,
            created_at: of.created_at,
            started_at: of.started_at,
            finished_at: of.finished_at,
        }
    }
}
