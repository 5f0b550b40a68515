//! The JSON shapes of an inference, field for field as the contract has them.

use std::collections::HashMap;

use domain::{
    Error, Result,
    learning::judge::{InferenceDraft, ValidDraft},
    money::billing::Paid,
    operations::inference::{Answers, Backend, Inferred, Routing, RoutingStep},
};
use ports::decision::DecisionMode;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::response_format::{self, ResponseFormat};
use crate::{
    extract::{one_of, or_default},
    openapi::shapes,
};

/// What answers.
#[derive(Clone, Copy, Debug, Default, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum InferenceBackend {
    /// The cascade, if there is one. Otherwise the local backend; OpenRouter too when the local answer is uncertain and
    /// the operator has enabled that.
    #[default]
    Auto,
    /// The model in process, the server that replaces it, or a backend that the operator has named.
    Local,
    /// The Decisions API of OpenRouter.
    Openrouter,
}

/// How several questions are answered.
#[derive(Clone, Copy, Debug, Default, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum InferenceMode {
    /// Each question alone.
    #[default]
    Native,
    /// All together, the most certain answers first.
    Hybrid,
}

/// Questions, and the state that they are about. A state must be given through `state` or `content`; state and
/// instructions may have 262,144 bytes together as compact JSON.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct CustomInferenceRequest {
    /// The content to decide about: any JSON that is not blank. Takes precedence over `content`.
    #[schema(schema_with = shapes::inference_state)]
    pub state: Option<Value>,
    /// The same as `state`, for plain text.
    pub content: Option<String>,
    /// Up to 64 questions: an object of questions by key; an array of questions with a `key` each, or of yes/no
    /// questions as text; one freeform prompt, answered under `answer`; or a JSON Schema of an object, whose properties
    /// are the questions.
    #[schema(schema_with = shapes::inference_instructions)]
    pub instructions: Option<Value>,
    /// The same as a JSON Schema in `instructions`, in OpenAI's form.
    pub response_format: Option<ResponseFormat>,
    /// What answers.
    #[serde(default, deserialize_with = "or_default")]
    #[schema(default = "auto")]
    pub backend: InferenceBackend,
    /// The model: `auto`, `gavel-latest`, an exact name of `GET /v1/models`, or `NAME/model` for a backend that the
    /// operator has named.
    #[serde(default = "default_model", deserialize_with = "model")]
    #[schema(default = "auto", pattern = r"^[^\u0000]*[^\s\u0000][^\u0000]*$")]
    pub model: String,
    /// How several questions are answered.
    #[serde(default, deserialize_with = "or_default")]
    #[schema(default = "native")]
    pub mode: InferenceMode,
    /// `temperature` (0.05 to 20), `abstain_below` (0 to 1), `steps` (1 to 8), `model`, `cascade` and `data_boundary`;
    /// other parameters are echoed and passed on.
    #[serde(default, deserialize_with = "or_default")]
    #[schema(value_type = InferenceParameters, example = json!({ "temperature": 1.0 }))]
    pub parameters: Map<String, Value>,
    /// The Judge whose instructions and parameters are inherited, and in whose dataset request and answer are
    /// recorded if it stores content. The request's instructions replace the Judge's; each of its parameters
    /// overrides the Judge's.
    pub judge_id: Option<String>,
    /// Empty. A flattened field makes serde accept objects alone; without it serde accepts an array of the values
    /// too.
    #[serde(flatten)]
    #[schema(ignore)]
    #[allow(dead_code)]
    only_objects: (),
}

/// The parameters that Gavel reads; others are echoed and passed on.
#[derive(ToSchema)]
#[allow(dead_code)]
pub struct InferenceParameters {
    /// Above 1 it flattens the probabilities, below 1 it sharpens them.
    #[schema(minimum = 0.05, maximum = 20, default = 1.0)]
    temperature: Option<f64>,
    /// An answer abstains when its most probable outcome is less probable than this.
    #[schema(minimum = 0, maximum = 1)]
    abstain_below: Option<f64>,
    /// Steps of the mode `hybrid`.
    #[schema(minimum = 1, maximum = 8)]
    steps: Option<u8>,
    /// The backend or model, where the request's `model` is `auto`; at most 300 bytes.
    #[schema(min_length = 1, max_length = 300, pattern = r"^[^\u0000]*[^\s\u0000][^\u0000]*$")]
    model: Option<String>,
    /// The backends to ask in turn, where the request names none. Each is asked only about the questions that the one
    /// before was unsure of.
    #[schema(min_items = 1, max_items = 5)]
    cascade: Option<Vec<InferenceCascadeStep>>,
    /// `local` for content that only backends on the operator's machines may read.
    #[schema(pattern = "^(any|local)$", default = "any")]
    data_boundary: Option<String>,
}

/// A step of a cascade.
#[derive(ToSchema)]
#[allow(dead_code)]
pub struct InferenceCascadeStep {
    /// The name of a backend, or `NAME/model`; at most 300 bytes.
    #[schema(min_length = 1, max_length = 300, pattern = r"^[^\u0000]*[^\s\u0000][^\u0000]*$")]
    backend: String,
    /// The certainty below which a question goes on to the next step. The last step has none.
    #[schema(minimum = 0, maximum = 1)]
    below: Option<f64>,
}

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
    /// The answers by key, in the order of the questions.
    #[schema(value_type = HashMap<String, InferenceAnswer>)]
    pub answers: Map<String, Value>,
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

fn default_model() -> String {
    "auto".to_owned()
}

fn model<'de, D: Deserializer<'de>>(value: D) -> Result<String, D::Error> {
    Ok(Option::deserialize(value)?.unwrap_or_else(default_model))
}

impl<'de> Deserialize<'de> for InferenceBackend {
    fn deserialize<D: Deserializer<'de>>(value: D) -> Result<Self, D::Error> {
        one_of(value, &[("auto", Self::Auto), ("local", Self::Local), ("openrouter", Self::Openrouter)])
    }
}

impl<'de> Deserialize<'de> for InferenceMode {
    fn deserialize<D: Deserializer<'de>>(value: D) -> Result<Self, D::Error> {
        one_of(value, &[("native", Self::Native), ("hybrid", Self::Hybrid)])
    }
}

impl From<InferenceBackend> for Backend {
    fn from(backend: InferenceBackend) -> Self {
        match backend {
            InferenceBackend::Auto => Backend::Auto,
            InferenceBackend::Local => Backend::Local,
            InferenceBackend::Openrouter => Backend::Openrouter,
        }
    }
}

impl From<InferenceMode> for DecisionMode {
    fn from(mode: InferenceMode) -> Self {
        match mode {
            InferenceMode::Native => DecisionMode::Isolated,
            InferenceMode::Hybrid => DecisionMode::Joint,
        }
    }
}

impl CustomInferenceRequest {
    /// Parses the request. `path`: the Judge in the URL, if there is one.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` naming the field; then `NOT_FOUND` for what cannot be a Judge's id.
    pub(super) fn read(self, path: Option<String>) -> Result<ValidDraft> {
        let state = match (self.state, self.content) {
            (Some(state), _) => ports::decision::DecisionState::parse("state", state)?,
            (None, Some(content)) => {
                ports::decision::DecisionState::parse("content", Value::String(content))?
            }
            (None, None) => return Err(Error::invalid("state", "is required, or content in its place")),
        };
        let judge = match (path, self.judge_id) {
            (Some(path), Some(body)) if path != body => {
                return Err(Error::invalid("judge_id", "must be the Judge of the path, or be left out"));
            }
            (path, body) => path.or(body),
        };
        let schema = self.response_format.map(ResponseFormat::into_instructions).transpose()?;
        if self.instructions.is_some() && schema.is_some() {
            return Err(Error::invalid("response_format", "must be left out where `instructions` are given"));
        }
        let draft = InferenceDraft {
            state,
            asked_in: if schema.is_some() { response_format::SCHEMA } else { "instructions" },
            instructions: self.instructions.or(schema),
            backend: self.backend.into(),
            model: self.model,
            mode: self.mode.into(),
            parameters: self.parameters,
            judge,
        };
        draft.validate()
    }
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
            output,
            routing: routing.into(),
            inference_parameters: parameters,
            usage: InferenceUsage {
                input_tokens: usage.input_tokens,
                output_tokens: usage.output_tokens,
                cost: usage.cost,
            },
            credits_deducted: paid.receipt.deducted.credits(),
            remaining_credits: paid.receipt.remaining.credits(),
            logged: judge.is_some().then_some(logged),
            judge_id: judge.map(String::from),
        }
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
