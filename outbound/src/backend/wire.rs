//! System One on the wire: our questions as its request, its response as our decision. The shapes are those of
//! `POST /v1/systemone`: `model`, `state` and `questions` there, `model`, `answers` and `usage` back.

use domain::inference::{Decision, DecisionInput, Mode, ModelInfo, Question, QuestionKind, Usage};
use serde::{Deserialize, Deserializer, de::Error as _};
use serde_json::{Map, Value, json};

/// What a server answers with.
#[derive(Debug, Deserialize)]
pub(super) struct Response {
    /// The exact model that answered.
    #[serde(deserialize_with = "name")]
    model: String,
    answers: Map<String, Value>,
    usage: Option<Tokens>,
}

/// What a server took; null where it does not know. No request of ours has more tokens than fit.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Tokens {
    input_tokens: Option<u32>,
    output_tokens: Option<u32>,
    /// US dollars; OpenRouter's.
    cost: Option<f64>,
}

/// What a gateway says with status 200 when whoever it asked failed, as OpenRouter's does.
#[derive(Deserialize)]
pub(super) struct Refusal {
    error: RefusalError,
}

#[derive(Deserialize)]
struct RefusalError {
    #[serde(default)]
    code: Value,
}

/// A list of models: System One's, or OpenAI's, which servers of both wires tend to answer with.
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

/// The body that asks a model.
///
/// Parameters that are not ours become members beside `model`, where System One servers and OpenRouter have theirs
/// (`provider`, `user`, `assets`, ..); `steps` too. `temperature` and `abstain_below` are applied to the answer here and
/// not sent. `mode` has no place on this wire.
pub(super) fn request(input: &DecisionInput, model: &str) -> Vec<u8> {
    let state = match &input.state {
        // The wire has no state of these types.
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
        // An answer in pieces would be no answer here.
        if name != "stream" {
            body.entry(name.clone()).or_insert_with(|| value.clone());
        }
    }
    if let Some(steps) = input.parameters.steps {
        body.insert("steps".to_owned(), steps.into());
    }
    serde_json::to_vec(&body).expect("JSON can be written")
}

fn question(question: &Question) -> Value {
    let mut on_wire = Map::new();
    let kind = match &question.kind {
        // System One has no prompts: a server of it decides, so it is asked whether.
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

/// A model's name, which says something and which every database can hold.
fn name<'de, D: Deserializer<'de>>(value: D) -> Result<String, D::Error> {
    let name = String::deserialize(value)?;
    let fits = !name.trim().is_empty() && !name.contains('\0');
    fits.then_some(name).ok_or_else(|| D::Error::custom("no name of a model"))
}

impl Response {
    /// As our decision, in answer to `input`.
    pub(super) fn into_decision(self, input: &DecisionInput) -> Decision {
        let together = input.mode == Mode::Hybrid;
        let usage = self.usage.unwrap_or_default();
        let note = "mode hybrid is the model in process's own; this server answered in its usual way";
        Decision {
            model: self.model,
            answers: self.answers,
            usage: Usage {
                input_tokens: usage.input_tokens.unwrap_or_default().into(),
                output_tokens: usage.output_tokens.unwrap_or_default().into(),
                cost: usage.cost,
            },
            notes: together.then(|| note.to_owned()).into_iter().collect(),
        }
    }
}

impl Refusal {
    /// The HTTP status it stands for.
    pub(super) fn status(&self) -> u16 {
        let code = self.error.code.as_u64().and_then(|code| u16::try_from(code).ok());
        code.filter(|code| (400..600).contains(code)).unwrap_or(502)
    }
}

impl From<Models> for Vec<ModelInfo> {
    fn from(models: Models) -> Self {
        let (Models::SystemOne { models: named } | Models::OpenAi { data: named }) = models;
        let info = |one: ListedModel| ModelInfo {
            name: one.name,
            description: one.description.unwrap_or_default(),
            release_date: one.release_date.unwrap_or_default(),
        };
        named.into_iter().map(info).collect()
    }
}
