//! The System One format: the request and the response of `POST /v1/systemone`.

use ports::decision::{Decision, DecisionInput, DecisionMode, ModelInfo, Question, QuestionKind, Usage};
use serde::{Deserialize, Deserializer, de::Error as _};
use serde_json::{Map, Value, json};

/// What a user should know who asked a server for the mode `hybrid`.
pub(super) const HYBRID_IGNORED: &str =
    "mode hybrid is supported by the in-process model only; this server ignored it";

/// The response of a server.
#[derive(Debug, Deserialize)]
pub(super) struct Response {
    /// The exact name of the model that answered.
    #[serde(deserialize_with = "model_name")]
    model: String,
    answers: Map<String, Value>,
    usage: Option<Tokens>,
}

/// The usage; null where the server does not know it. The counts of our requests always fit.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Tokens {
    input_tokens: Option<u32>,
    output_tokens: Option<u32>,
    /// In US dollars; only OpenRouter sends it.
    cost: Option<f64>,
}

/// An error with status 200, which gateways such as OpenRouter send if their upstream fails.
#[derive(Deserialize)]
pub(super) struct Refusal {
    error: RefusalError,
}

#[derive(Deserialize)]
struct RefusalError {
    #[serde(default)]
    code: Value,
}

/// A list of models in the format of System One or of OpenAI; servers tend to support both.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum Models {
    SystemOne { models: Vec<ListedModel> },
    OpenAi { data: Vec<ListedModel> },
}

#[derive(Deserialize)]
pub(super) struct ListedModel {
    #[serde(alias = "id")]
    name: String,
    #[serde(default)]
    description: Option<String>,
    #[serde(default)]
    release_date: Option<String>,
}

/// Writes the body of a request.
///
/// `steps` and parameters that Gavel does not define become members beside `model`, where System One servers and
/// OpenRouter expect theirs (`provider`, `user`, `assets`, ..). `temperature` and `abstain_below` are applied to the
/// answer here and not sent; the format has no `mode`.
pub(super) fn request(input: &DecisionInput, model: &str) -> Vec<u8> {
    let state = match &input.state {
        // The format has no states of these types.
        scalar @ (Value::Bool(_) | Value::Number(_) | Value::Null) => Value::String(scalar.to_string()),
        other => other.clone(),
    };
    let questions: Map<String, Value> =
        input.questions.iter().map(|asked| (asked.key.clone(), question(asked))).collect();
    let mut body = Map::new();
    body.insert("model".to_owned(), model.into());
    body.insert("state".to_owned(), state);
    body.insert("questions".to_owned(), questions.into());
    for (name, value) in &input.parameters.others {
        // Streamed answers are not supported.
        if name != "stream" {
            body.entry(name.clone()).or_insert_with(|| value.clone());
        }
    }
    if let Some(steps) = input.parameters.steps {
        body.insert("steps".to_owned(), steps.into());
    }
    serde_json::to_vec(&body).expect("a JSON map can be serialised")
}

fn question(question: &Question) -> Value {
    let mut on_wire = Map::new();
    let kind = match &question.kind {
        // System One has no prompts; they become yes/no questions.
        QuestionKind::Prompt => "noul",
        other => other.as_str(),
    };
    on_wire.insert("type".to_owned(), kind.into());
    if !question.instructions.is_null() {
        on_wire.insert("instructions".to_owned(), question.instructions.clone());
    }
    let criteria = match &question.kind {
        QuestionKind::Choice(choices) => {
            let described =
                choices.iter().map(|choice| (choice.value.clone(), choice.description.clone().into()));
            Some(Value::Object(described.collect()))
        }
        QuestionKind::Score(levels) => Some(json!(levels)),
        QuestionKind::Noul { yes: None, no: None } | QuestionKind::Prompt => None,
        QuestionKind::Noul { yes, no } => Some(json!({ "true": yes, "false": no })),
    };
    on_wire.extend(criteria.map(|criteria| ("criteria".to_owned(), criteria)));
    on_wire.into()
}

/// A model's name, which must not be blank and must be storable in every database.
pub(super) fn model_name<'de, D: Deserializer<'de>>(value: D) -> Result<String, D::Error> {
    let name = String::deserialize(value)?;
    let fits = !name.trim().is_empty() && !name.contains('\0');
    fits.then_some(name).ok_or_else(|| D::Error::custom("not a model name"))
}

impl Response {
    /// Converts the response to a decision.
    pub(super) fn into_decision(self, input: &DecisionInput) -> Decision {
        let together = input.mode == DecisionMode::Joint;
        Decision {
            model: self.model,
            answers: self.answers,
            usage: self.usage.map(Usage::from).unwrap_or_default(),
            notes: together.then(|| HYBRID_IGNORED.to_owned()).into_iter().collect(),
        }
    }
}

impl From<Tokens> for Usage {
    fn from(tokens: Tokens) -> Self {
        Self {
            input_tokens: tokens.input_tokens.unwrap_or_default().into(),
            output_tokens: tokens.output_tokens.unwrap_or_default().into(),
            cost: tokens.cost,
        }
    }
}

impl Refusal {
    /// The HTTP status of the error.
    pub(super) fn status(&self) -> u16 {
        let code = self.error.code.as_u64().and_then(|code| u16::try_from(code).ok());
        code.filter(|code| (400..600).contains(code)).unwrap_or(502)
    }
}

impl From<Models> for Vec<ModelInfo> {
    fn from(models: Models) -> Self {
        let (Models::SystemOne { models: named } | Models::OpenAi { data: named }) = models;
        named.into_iter().map(ModelInfo::from).collect()
    }
}

impl From<ListedModel> for ModelInfo {
    fn from(model: ListedModel) -> Self {
        ModelInfo {
            name: model.name,
            description: model.description.unwrap_or_default(),
            release_date: model.release_date.unwrap_or_default(),
        }
    }
}
