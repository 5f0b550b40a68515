//! The body of an inference, field for field as the contract has it.

use domain::{
    Error, Result,
    learning::judge::{InferenceDraft, ValidDraft, ValidDrafts},
    operations::inference::{Backend, MAX_STATES},
};
use ports::decision::{DecisionMode, DecisionState};
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

/// Questions, and the state that they are about. One of `state`, `content` and `states` must be given; states and
/// instructions may have 262,144 bytes together as compact JSON.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct CustomInferenceRequest {
    /// The content to decide about: any JSON that is not blank. Takes precedence over `content`.
    #[schema(schema_with = shapes::inference_state)]
    pub state: Option<Value>,
    /// The same as `state`, for plain text.
    pub content: Option<String>,
    /// 1 to 50 states, each of which all questions are about. They are answered in `results`, all or none, and charged
    /// together: the price of one inference for each.
    #[schema(min_items = 1, max_items = 50)]
    pub states: Option<Vec<Value>>,
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
    pub(super) fn read(mut self, path: Option<String>) -> Result<ValidDraft> {
        let state = match (self.state.take(), self.content.take()) {
            (Some(state), _) => DecisionState::parse("state", state)?,
            (None, Some(content)) => DecisionState::parse("content", Value::String(content))?,
            (None, None) => return Err(Error::invalid("state", "is required unless `content` is given")),
        };
        self.draft(state, path)?.validate()
    }

    /// Parses a request about `states`, which were taken out of it.
    ///
    /// # Errors
    /// Like [`read`](Self::read).
    pub(super) fn read_each(self, states: Vec<Value>, path: Option<String>) -> Result<ValidDrafts> {
        if self.state.is_some() || self.content.is_some() {
            return Err(Error::invalid("states", "must be left out where `state` or `content` is given"));
        }
        if states.len() > MAX_STATES {
            let message = format!("must have at most {MAX_STATES} items, not {}", states.len());
            return Err(Error::invalid("states", message));
        }
        let states = states.into_iter().enumerate();
        let states = states.map(|(at, state)| DecisionState::parse(&format!("states[{at}]"), state));
        let states = states.collect::<Result<Vec<DecisionState>, _>>()?;
        let Some(first) = states.first().cloned() else {
            return Err(Error::invalid("states", "must not be empty"));
        };
        self.draft(first, path)?.validate_each(states)
    }

    fn draft(self, state: DecisionState, path: Option<String>) -> Result<InferenceDraft> {
        let judge = match (path, self.judge_id) {
            (Some(path), Some(body)) if path != body => {
                return Err(Error::invalid("judge_id", "must be the Judge in the path, or left out"));
            }
            (path, body) => path.or(body),
        };
        let schema = self.response_format.map(ResponseFormat::into_instructions).transpose()?;
        if self.instructions.is_some() && schema.is_some() {
            return Err(Error::invalid("response_format", "must be left out where `instructions` are given"));
        }
        Ok(InferenceDraft {
            state,
            asked_in: if schema.is_some() { response_format::SCHEMA } else { "instructions" },
            instructions: self.instructions.or(schema),
            backend: self.backend.into(),
            model: self.model,
            mode: self.mode.into(),
            parameters: self.parameters,
            judge,
        })
    }
}
