//! The answer of an inference, field for field as the contract has it.

use std::collections::HashMap;

use domain::{
    money::billing::Paid,
    operations::inference::{Answers, Inferred, InferredEach, Routing, RoutingStep},
};
use ports::decision::Usage;
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

/// The answers.
#[derive(Debug, Serialize, ToSchema)]
pub struct CustomInferenceResponse {
    /// Identifier of the inference.
    #[schema(example = "inf_01kahd7f3ye9pvsk8h0a5m5x2e")]
    pub id: String,
    /// Always `success`.
    #[schema(example = "success")]
    pub status: &'static str,
    /// The backend that answered.
    #[schema(example = "local")]
    pub backend: String,
    /// The model, with its version.
    pub model: String,
    /// Processing time in milliseconds.
    pub latency_ms: f64,
    /// The answers by key, in the order of the questions; empty with `states`.
    #[schema(value_type = HashMap<String, InferenceAnswer>)]
    pub answers: Map<String, Value>,
    /// The answers about each of `states`, in order; only with them. `backend`, `model` and `routing` are then those of
    /// the first, and `usage` is the sum.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub results: Option<Vec<InferenceResult>>,
    /// The most probable object, which fits the schema; only when the questions came as a JSON Schema.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, value_type = Option<HashMap<String, Value>>)]
    pub output: Option<Value>,
    /// Why this model answered.
    pub routing: InferenceRouting,
    /// The parameters that applied.
    #[schema(value_type = HashMap<String, Value>)]
    pub inference_parameters: Map<String, Value>,
    /// Tokens.
    pub usage: InferenceUsage,
    /// Credits charged.
    #[schema(example = 0.5)]
    pub credits_deducted: f64,
    /// Credits left to spend.
    pub remaining_credits: f64,
    /// The Judge; only when the request went through one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "judge_01kahd7f3ye9pvsk8h0a5m5x2e")]
    pub judge_id: Option<String>,
    /// Whether request and answer were recorded in the Judge's dataset; only with a Judge.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub logged: Option<bool>,
}

/// The answers about one of several states.
#[derive(Debug, Serialize, ToSchema)]
pub struct InferenceResult {
    /// The backend that answered.
    #[schema(example = "local")]
    pub backend: String,
    /// The model, with its version.
    pub model: String,
    /// The answers by key, in the order of the questions.
    #[schema(value_type = HashMap<String, InferenceAnswer>)]
    pub answers: Map<String, Value>,
    /// The most probable object, which fits the schema; only when the questions came as a JSON Schema.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, value_type = Option<HashMap<String, Value>>)]
    pub output: Option<Value>,
    /// Why this model answered.
    pub routing: InferenceRouting,
    /// Tokens.
    pub usage: InferenceUsage,
}

/// Why a model answered.
#[derive(Debug, Serialize, ToSchema)]
pub struct InferenceRouting {
    /// The model.
    pub model: String,
    /// The reason, for a person.
    #[schema(example = "the default: local")]
    pub reason: String,
    /// What each backend did, in turn; only for a cascade and for backends that the operator has named.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(nullable = false, required = false)]
    pub steps: Vec<InferenceRoutingStep>,
}

/// What one backend did.
#[derive(Debug, Serialize, ToSchema)]
pub struct InferenceRoutingStep {
    /// Its name.
    #[schema(example = "ollama")]
    pub backend: String,
    /// `answered`; `failed`, which costs nothing; or `skipped`, where it may not read the content.
    #[schema(example = "answered")]
    pub outcome: &'static str,
    /// The model that answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub model: Option<String>,
    /// The reason, for a person.
    #[schema(example = "sure enough (0.93 of 0.7 needed)")]
    pub reason: String,
    /// The keys of the questions that it was asked.
    pub questions: Vec<String>,
    /// The probability of its least certain answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub certainty: Option<f64>,
    /// Its processing time in milliseconds.
    pub latency_ms: f64,
    /// Its part of the charge.
    pub credits: f64,
    /// Whether its probabilities were calibrated by `gavel backends calibrate`; absent for decision models in process
    /// and in their place.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub calibrated: Option<bool>,
}

/// Tokens.
#[derive(Debug, Serialize, ToSchema)]
pub struct InferenceUsage {
    /// Tokens read, summed over questions.
    pub input_tokens: u64,
    /// Tokens written, or questions answered.
    pub output_tokens: u64,
    /// The price that an upstream server charged, in US dollars, when it reports one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub cost: Option<f64>,
}

/// An answer, of the type of its question. `abstained` is present only with `abstain_below`.
#[derive(ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
#[allow(dead_code)]
pub enum InferenceAnswer {
    /// To a yes/no question: the probability of yes.
    Noul {
        noul: f64,
        #[schema(nullable = false)]
        abstained: Option<bool>,
    },
    /// To a choice: the most probable option, how far it is above chance, and a probability for each option. When it
    /// abstains, `choice` is `none_of_these`.
    Choice {
        choice: String,
        confidence: f64,
        probabilities: HashMap<String, f64>,
        #[schema(nullable = false)]
        abstained: Option<bool>,
    },
    /// To a score: the expected level, how concentrated the levels are around the most probable one, the levels as
    /// text, and a probability for each.
    Score {
        score: f64,
        confidence: f64,
        #[schema(value_type = HashMap<String, Value>)]
        legend: HashMap<String, Value>,
        probabilities: HashMap<String, f64>,
        #[schema(nullable = false)]
        abstained: Option<bool>,
    },
    /// To a freeform prompt, by a backend that writes text.
    Text { text: String },
}

impl From<Routing> for InferenceRouting {
    fn from(routing: Routing) -> Self {
        let steps = routing.steps.into_iter().map(InferenceRoutingStep::from).collect();
        Self { model: routing.model, reason: routing.reason, steps }
    }
}

impl From<RoutingStep> for InferenceRoutingStep {
    fn from(step: RoutingStep) -> Self {
        Self {
            backend: step.backend,
            outcome: step.outcome.as_str(),
            model: step.model,
            reason: step.reason,
            questions: step.questions,
            certainty: step.certainty,
            latency_ms: step.latency_ms,
            credits: step.credits,
            calibrated: step.calibrated,
        }
    }
}

impl CustomInferenceResponse {
    pub(super) fn new(paid: Paid<Inferred>) -> Self {
        let Inferred {
            id,
            backend,
            model,
            answers,
            output,
            routing,
            parameters,
            usage,
            latency_ms,
            judge,
            logged,
            ..
        } = paid.outcome;
        Self {
            id: id.to_string(),
            status: "success",
            backend,
            model,
            latency_ms,
            answers: by_key(&answers),
            results: None,
            output,
            routing: routing.into(),
            inference_parameters: parameters,
            usage: usage.into(),
            credits_deducted: paid.receipt.deducted.credits(),
            remaining_credits: paid.receipt.remaining.credits(),
            logged: judge.is_some().then_some(logged),
            judge_id: judge.map(String::from),
        }
    }

    /// The answers about several states.
    pub(super) fn of_each(paid: Paid<InferredEach>) -> Self {
        let Paid { request_id, outcome: InferredEach { whole, results }, receipt, replayed } = paid;
        Self {
            results: Some(results.into_iter().map(InferenceResult::from).collect()),
            ..Self::new(Paid { request_id, outcome: whole, receipt, replayed })
        }
    }
}

impl From<Usage> for InferenceUsage {
    fn from(Usage { input_tokens, output_tokens, cost }: Usage) -> Self {
        Self { input_tokens, output_tokens, cost }
    }
}

/// Answers as a JSON object, in their order.
pub(crate) fn by_key(answers: &Answers) -> Map<String, Value> {
    answers
        .iter()
        .map(|(key, answer)| {
            let answer = serde_json::to_value(answer).expect("an answer has only string keys");
            (key.clone(), answer)
        })
        .collect()
}

impl From<Inferred> for InferenceResult {
    fn from(inferred: Inferred) -> Self {
        Self {
            backend: inferred.backend,
            model: inferred.model,
            answers: by_key(&inferred.answers),
            output: inferred.output,
            routing: inferred.routing.into(),
            usage: inferred.usage.into(),
        }
    }
}
