//! The JSON shapes of OpenAI's moderations, as the client openai 3.54.0 writes and reads them, and how Gavel's
//! categories map to OpenAI's.
//!
//! | theirs | from ours |
//! |---|---|
//! | `harassment`, `hate`, `sexual`, `sexual/minors`, `violence`, `self-harm` | the category of that name |
//! | `harassment/threatening` | the less probable of `harassment` and `severity.threat` |
//! | `hate/threatening` | `severity.hate_violence` |
//! | `illicit` | the more probable of `illicit` and `is_phishing_or_scam`, links included |
//! | `illicit/violent` | the less probable of `illicit` and the more probable of `violence` and `extremism` |
//! | `self-harm/intent`, `self-harm/instructions` | `severity.self_harm_intent`, `severity.self_harm_instructions` |
//! | `violence/graphic` | none: score 0, and no input type applies |
//!
//! OpenAI has no category for toxicity and spam.

use domain::{
    Error, Result,
    foundation::round::significant,
    operations::moderation::{Action, Verdict},
};
use ports::id::ModerationId;
use ports::text::Category;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::{openapi::shapes, rest::text::PolicyUsed};

/// Probability from which a category is flagged.
const FLAG_THRESHOLD: f64 = 0.5;

/// Texts to moderate.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct ModerationsRequest {
    /// A text; up to 50 texts; or the parts of one text. Each text has 1 to 10,000 characters.
    #[schema(schema_with = shapes::moderations_input)]
    pub input: Value,
    /// The model.
    pub model: Option<String>,
    /// The moderation policy that decides, by its name or id. An extension: OpenAI has none.
    #[schema(min_length = 1, max_length = 100)]
    pub policy: Option<String>,
    /// Empty. A flattened field makes serde accept objects alone; without it serde accepts an array of the values
    /// too.
    #[serde(flatten)]
    #[schema(ignore)]
    #[allow(dead_code)]
    only_objects: (),
}

/// The verdicts.
#[derive(Debug, Serialize, ToSchema)]
pub struct ModerationsResponse {
    /// Identifier of the request's verdicts.
    #[schema(example = "mod_01kahd7f3ye9pvsk8h0a5m5x2e")]
    pub id: String,
    /// Name and version of the model that decided.
    pub model: String,
    /// One result a text, in order.
    pub results: Vec<ModerationsResult>,
}

/// The verdict on one text.
#[derive(Debug, Serialize, ToSchema)]
pub struct ModerationsResult {
    /// Whether any category is flagged; with a moderation policy, whether it recommends an action.
    pub flagged: bool,
    /// Whether each category is flagged: from a probability of 0.5.
    pub categories: ModerationsCategories<bool>,
    /// The probability of each category; 0 for those that Gavel does not estimate.
    pub category_scores: ModerationsCategories<f64>,
    /// The input types of each score: `text`, or none.
    pub category_applied_input_types: ModerationsCategories<Vec<ModerationsInputType>>,
    /// The moderation policy that decided; only with one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub policy: Option<PolicyUsed>,
}

/// The input type of a score.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ModerationsInputType {
    /// A text.
    Text,
}

/// Something for each category.
#[derive(Debug, Serialize, ToSchema)]
pub struct ModerationsCategories<T> {
    pub harassment: T,
    #[serde(rename = "harassment/threatening")]
    pub harassment_threatening: T,
    pub hate: T,
    #[serde(rename = "hate/threatening")]
    pub hate_threatening: T,
    pub illicit: T,
    #[serde(rename = "illicit/violent")]
    pub illicit_violent: T,
    #[serde(rename = "self-harm")]
    pub self_harm: T,
    #[serde(rename = "self-harm/intent")]
    pub self_harm_intent: T,
    #[serde(rename = "self-harm/instructions")]
    pub self_harm_instructions: T,
    pub sexual: T,
    #[serde(rename = "sexual/minors")]
    pub sexual_minors: T,
    pub violence: T,
    #[serde(rename = "violence/graphic")]
    pub violence_graphic: T,
}

/// The texts of `input`, each with its path in the body; at most `most`.
///
/// # Errors
/// `VALIDATION_FAILED` naming the path: another type, a picture, none or too many.
pub(super) fn texts(input: Value, most: usize) -> Result<Vec<(String, String)>> {
    let items = match input {
        Value::String(text) => return Ok(vec![("input".to_owned(), text)]),
        Value::Array(items) => items,
        _ => return Err(Error::invalid("input", "must be a string, or an array of strings or of parts")),
    };
    let count = items.len();
    if !(1..=most).contains(&count) {
        return Err(Error::invalid("input", format!("must hold 1 to {most} texts, not {count}")));
    }
    if items.iter().any(Value::is_object) {
        let parts = items.iter().enumerate().map(|(index, item)| part(index, item));
        return Ok(vec![("input".to_owned(), parts.collect::<Result<Vec<_>>>()?.join("\n"))]);
    }
    let texts = items.into_iter().enumerate().map(|(index, item)| match item {
        Value::String(text) => Ok((format!("input[{index}]"), text)),
        _ => Err(Error::invalid(format!("input[{index}]"), "must be a string or a part")),
    });
    texts.collect()
}

fn part(index: usize, part: &Value) -> Result<&str> {
    let path = format!("input[{index}]");
    match (part["type"].as_str(), part["text"].as_str()) {
        (Some("text"), Some(text)) => Ok(text),
        (Some("text"), None) => Err(Error::invalid(format!("{path}.text"), "must be a string")),
        (Some("image_url"), _) => {
            let message = "cannot be read here; pictures are moderated by POST /api/v1/moderate/image";
            Err(Error::invalid(path, message))
        }
        _ => Err(Error::invalid(format!("{path}.type"), "must be one of: text")),
    }
}

impl ModerationsResponse {
    pub(super) fn new(id: &ModerationId, verdicts: Vec<Verdict>) -> Result<Self> {
        let model = verdicts.first().map(|verdict| verdict.model.clone()).unwrap_or_default();
        let results = verdicts.iter().map(ModerationsResult::new).collect::<Result<_>>()?;
        Ok(Self { id: id.to_string(), model, results })
    }
}

impl ModerationsResult {
    fn new(verdict: &Verdict) -> Result<Self> {
        let scores = ModerationsCategories::probabilities(verdict)?;
        let category_scores = scores.map(|score| score.unwrap_or(0.0));
        let categories = category_scores.map(|score| *score >= FLAG_THRESHOLD);
        Ok(Self {
            flagged: match verdict.policy {
                Some(_) => verdict.action != Action::None,
                None => categories.any(),
            },
            policy: verdict.policy.clone().map(Into::into),
            categories,
            category_applied_input_types: scores
                .map(|score| score.iter().map(|_| ModerationsInputType::Text).collect()),
            category_scores,
        })
    }
}

impl ModerationsCategories<Option<f64>> {
    /// The probability of each category that Gavel estimates.
    fn probabilities(verdict: &Verdict) -> Result<Self> {
        let why = verdict.explanation.as_ref();
        let why = why.ok_or_else(|| Error::internal("a verdict without its categories"))?;
        let ours = why.categories;
        let severity = why.severity;
        let harassment = ours[Category::Harassment];
        let hate = ours[Category::Hate];
        let illicit = ours[Category::Illicit];
        let self_harm = ours[Category::SelfHarm];
        let violence = ours[Category::Violence];
        let probabilities = Self {
            harassment: Some(harassment),
            harassment_threatening: Some(harassment.min(severity.threat)),
            hate: Some(hate),
            hate_threatening: Some(severity.hate_violence),
            illicit: Some(verdict.is_phishing_or_scam.max(illicit)),
            illicit_violent: Some(illicit.min(violence.max(ours[Category::Extremism]))),
            self_harm: Some(self_harm),
            self_harm_intent: Some(severity.self_harm_intent),
            self_harm_instructions: Some(severity.self_harm_instructions),
            sexual: Some(ours[Category::Sexual]),
            sexual_minors: Some(ours[Category::SexualMinors]),
            violence: Some(violence),
            violence_graphic: None,
        };
        Ok(probabilities.map(|probability| probability.map(significant)))
    }
}

impl<T> ModerationsCategories<T> {
    fn map<U>(&self, f: impl Fn(&T) -> U) -> ModerationsCategories<U> {
        ModerationsCategories {
            harassment: f(&self.harassment),
            harassment_threatening: f(&self.harassment_threatening),
            hate: f(&self.hate),
            hate_threatening: f(&self.hate_threatening),
            illicit: f(&self.illicit),
            illicit_violent: f(&self.illicit_violent),
            self_harm: f(&self.self_harm),
            self_harm_intent: f(&self.self_harm_intent),
            self_harm_instructions: f(&self.self_harm_instructions),
            sexual: f(&self.sexual),
            sexual_minors: f(&self.sexual_minors),
            violence: f(&self.violence),
            violence_graphic: f(&self.violence_graphic),
        }
    }
}

impl ModerationsCategories<bool> {
    fn any(&self) -> bool {
        let found = std::cell::Cell::new(false);
        self.map(|flagged| found.set(found.get() || *flagged));
        found.get()
    }
}
