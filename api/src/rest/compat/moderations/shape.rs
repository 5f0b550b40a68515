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
//! A picture counts for `sexual` alone: with the probability that it is explicit, and that of suggestive content too if
//! its own verdict flags it. OpenAI's client knows no picture for `sexual/minors`; sexual content beside a likely minor
//! flags `sexual`.
//!
//! OpenAI has no category for toxicity and spam.

use domain::{
    Error, Result,
    foundation::round::significant,
    operations::moderation::{Action, ModeratedMixed, Verdict, image::ImageVerdict},
};
use ports::{id::ModerationId, image::Class, text::Category};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::{openapi::shapes, rest::text::PolicyUsed};

/// Probability from which a category is flagged.
const FLAG_THRESHOLD: f64 = 0.5;

/// Texts and pictures to moderate.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct ModerationsRequest {
    /// A text; up to 50 texts; or up to 50 parts of one message, of which 10 may be pictures. Each text has 1 to 10,000
    /// characters.
    #[schema(schema_with = shapes::moderations_input)]
    pub input: Value,
    /// The model.
    pub model: Option<String>,
    /// The moderation policy that decides on texts, by its name or id. An extension: OpenAI has none.
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
    /// One result a text, in order; one for the parts of a message.
    pub results: Vec<ModerationsResult>,
}

/// The verdict on one text, or on the parts of a message.
#[derive(Debug, Serialize, ToSchema)]
pub struct ModerationsResult {
    /// Whether any category is flagged; with a moderation policy, whether it recommends an action.
    pub flagged: bool,
    /// Whether each category is flagged: by a text from a probability of 0.5, and `sexual` by a picture that
    /// `/api/v1/moderate/image` flags.
    pub categories: ModerationsCategories<bool>,
    /// The probability of each category, the highest of the text and the pictures; 0 for those that Gavel does not
    /// estimate.
    pub category_scores: ModerationsCategories<f64>,
    /// The input types of each score. Pictures count for `sexual` alone.
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
    /// A picture.
    Image,
}

/// Something for each category.
#[derive(Debug, Default, Serialize, ToSchema)]
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

impl ModerationsResponse {
    /// A result for each text.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` for a verdict without its categories.
    pub(super) fn of_texts(id: &ModerationId, verdicts: &[Verdict]) -> Result<Self> {
        let model = verdicts.first().map(|verdict| verdict.model.clone()).unwrap_or_default();
        let results = verdicts.iter().map(|verdict| ModerationsResult::new(Some(verdict), &[]));
        Ok(Self { id: id.to_string(), model, results: results.collect::<Result<_>>()? })
    }

    /// A result for each text, or one for a message with pictures.
    ///
    /// # Errors
    /// As [`Self::of_texts`].
    pub(super) fn of_mixed(moderated: &ModeratedMixed) -> Result<Self> {
        let ModeratedMixed { id, texts, pictures } = moderated;
        if pictures.is_empty() {
            return Self::of_texts(id, texts);
        }
        let of_texts = texts.iter().map(|verdict| verdict.model.as_str());
        let mut models: Vec<&str> =
            of_texts.chain(pictures.iter().map(|verdict| verdict.model.as_str())).collect();
        models.dedup();
        let result = ModerationsResult::new(texts.first(), pictures)?;
        Ok(Self { id: id.to_string(), model: models.join(", "), results: vec![result] })
    }
}

impl ModerationsResult {
    fn new(text: Option<&Verdict>, pictures: &[ImageVerdict]) -> Result<Self> {
        let mut evidence = match text {
            Some(verdict) => ModerationsCategories::of_text(verdict)?,
            None => ModerationsCategories::default(),
        };
        for verdict in pictures {
            evidence.sexual.add(verdict);
        }
        let categories = evidence.map(Evidence::is_flagged);
        let policy = text.and_then(|verdict| verdict.policy.clone());
        let flagged = match (text, &policy) {
            (Some(verdict), Some(_)) => {
                verdict.action != Action::None || pictures.iter().any(|verdict| verdict.is_flagged)
            }
            _ => categories.any(),
        };
        Ok(Self {
            flagged,
            policy: policy.map(Into::into),
            categories,
            category_applied_input_types: evidence.map(Evidence::input_types),
            category_scores: evidence.map(Evidence::score),
        })
    }
}

/// What is known of a category.
#[derive(Clone, Copy, Default)]
struct Evidence {
    /// The probability by the text.
    text: Option<f64>,
    /// The highest probability by the pictures.
    image: Option<f64>,
    /// Whether a picture is flagged, by the thresholds of Gavel's own route.
    image_flagged: bool,
}

impl Evidence {
    fn of_text(probability: f64) -> Self {
        Self { text: Some(significant(probability)), ..Self::default() }
    }

    /// Adds what a picture shows. Suggestive content counts only where it is flagged.
    fn add(&mut self, verdict: &ImageVerdict) {
        let suggestive = if verdict.is_flagged { verdict.classes[Class::Sexy] } else { 0.0 };
        let score = (verdict.nudity.score + verdict.drawn_nudity.score + suggestive).min(1.0);
        self.image = Some(self.image.unwrap_or(0.0).max(significant(score)));
        self.image_flagged |= verdict.is_flagged;
    }

    fn score(&self) -> f64 {
        self.text.unwrap_or(0.0).max(self.image.unwrap_or(0.0))
    }

    fn is_flagged(&self) -> bool {
        self.image_flagged || self.text.is_some_and(|score| score >= FLAG_THRESHOLD)
    }

    fn input_types(&self) -> Vec<ModerationsInputType> {
        let text = self.text.map(|_| ModerationsInputType::Text);
        text.into_iter().chain(self.image.map(|_| ModerationsInputType::Image)).collect()
    }
}

impl ModerationsCategories<Evidence> {
    /// The probability of each category that a text is read for.
    fn of_text(verdict: &Verdict) -> Result<Self> {
        let why = verdict.explanation.as_ref();
        let why = why.ok_or_else(|| Error::internal("a verdict without its categories"))?;
        let ours = why.categories;
        let severity = why.severity;
        let harassment = ours[Category::Harassment];
        let illicit = ours[Category::Illicit];
        let violent = ours[Category::Violence].max(ours[Category::Extremism]);
        Ok(Self {
            harassment: Evidence::of_text(harassment),
            harassment_threatening: Evidence::of_text(harassment.min(severity.threat)),
            hate: Evidence::of_text(ours[Category::Hate]),
            hate_threatening: Evidence::of_text(severity.hate_violence),
            illicit: Evidence::of_text(verdict.is_phishing_or_scam.max(illicit)),
            illicit_violent: Evidence::of_text(illicit.min(violent)),
            self_harm: Evidence::of_text(ours[Category::SelfHarm]),
            self_harm_intent: Evidence::of_text(severity.self_harm_intent),
            self_harm_instructions: Evidence::of_text(severity.self_harm_instructions),
            sexual: Evidence::of_text(ours[Category::Sexual]),
            sexual_minors: Evidence::of_text(ours[Category::SexualMinors]),
            violence: Evidence::of_text(ours[Category::Violence]),
            violence_graphic: Evidence::default(),
        })
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
