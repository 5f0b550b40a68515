//! A sample of a Judge's dataset, and its answers.

use async_graphql::{Context, ID, Json, Object, SimpleObject};
use chrono::Utc;
use domain::dataset::{self, Place};
use serde_json::{Map, Value};

use super::{
    Judge, SampleSource,
    label::{LabelChangeConnection, history},
};
use crate::graphql::{
    context::loaders,
    date_time::DateTime,
    error::{FieldResult, field_error},
    loaders::loaded,
    pagination::{CursorKey, ListConnection, PageArgs, cost},
};

/// What a Judge saw and said, or what was imported for it.
pub(crate) struct Sample(pub(crate) dataset::Sample);

/// A page of samples.
pub(crate) type SampleConnection = ListConnection<Sample>;

/// What a Judge saw and said, or what was imported for it.
#[Object]
impl Sample {
    /// `sample_…`
    pub(crate) async fn id(&self) -> ID {
        ID(self.0.id.to_string())
    }

    /// The Judge in whose dataset it is.
    async fn judge(&self, ctx: &Context<'_>) -> FieldResult<Judge> {
        loaded(loaders(ctx)?.judges.load_one(self.0.judge.clone()).await).map(Judge).map_err(field_error)
    }

    /// The version of the Judge that was asked; for an import, the newest then.
    async fn judge_version(&self) -> i32 {
        self.0.version
    }

    /// Where it came from.
    async fn source(&self) -> SampleSource {
        self.0.source.into()
    }

    /// What was decided about: any JSON.
    async fn state(&self) -> Json<&Value> {
        Json(&self.0.state)
    }

    /// What was asked: the request's own instructions, or else those of the Judge's version.
    async fn instructions(&self, ctx: &Context<'_>) -> FieldResult<Json<Value>> {
        if let Some(own) = &self.0.instructions {
            return Ok(Json(own.clone()));
        }
        let version = (self.0.judge.clone(), self.0.version);
        let found = loaded(loaders(ctx)?.instructions.load_one(version).await).map_err(field_error)?;
        Ok(Json((*found).clone()))
    }

    /// Whether the request brought instructions of its own in place of the Judge's.
    async fn own_instructions(&self) -> bool {
        self.0.instructions.is_some()
    }

    /// What was answered, and what is true, one entry for each key, in the instructions' order.
    async fn answers(&self) -> Vec<SampleAnswer> {
        self.0.answers.iter().cloned().map(SampleAnswer::from).collect()
    }

    /// The model that answered, with its version; null without an answer.
    async fn model(&self) -> Option<&str> {
        self.0.model.as_deref()
    }

    /// The backend that answered: `local` or `openrouter`; null without an answer.
    async fn backend(&self) -> Option<&str> {
        self.0.backend.as_deref()
    }

    /// How long answering took, in milliseconds; null without an answer.
    async fn latency_ms(&self) -> Option<f64> {
        self.0.latency_ms
    }

    /// Credits charged for it; 0 for an import.
    async fn credits(&self) -> f64 {
        self.0.credits.credits()
    }

    /// The probability of the most probable answer, and of several keys the least of these: what the review queue is ordered by.
    /// Null when no answer has probabilities.
    async fn certainty(&self) -> Option<f64> {
        self.0.certainty
    }

    /// The id of the request that it recorded, `req_…`; null for an import.
    async fn request_id(&self) -> Option<ID> {
        self.0.request_id.clone().map(ID)
    }

    /// Hex SHA-256 of the state, and of the request's own instructions when it had some: the same for the same content.
    async fn content_hash(&self) -> &str {
        &self.0.content_hash
    }

    /// Whether at least one key has a ground truth.
    async fn labelled(&self) -> bool {
        self.0.labels > 0
    }

    /// Who is reviewing it now: the id of a user or of an API key; null when nobody is.
    async fn claimed_by(&self) -> Option<ID> {
        self.claim().map(|claim| ID(claim.by.clone()))
    }

    /// Until when that claim holds; null when nobody is reviewing it.
    async fn claimed_until(&self) -> Option<DateTime> {
        self.claim().map(|claim| claim.until).map(DateTime)
    }

    /// Every change of its ground truths, newest first.
    #[graphql(complexity = "cost(first, last, child_complexity)")]
    async fn history(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "How many from the start, up to 100; 20 when neither `first` nor `last` is given.")]
        first: Option<i32>,
        #[graphql(desc = "Only what comes after this cursor.")] after: Option<String>,
        #[graphql(desc = "How many from the end, up to 100.")] last: Option<i32>,
        #[graphql(desc = "Only what comes before this cursor.")] before: Option<String>,
    ) -> FieldResult<LabelChangeConnection> {
        history(ctx, &self.0, PageArgs { first, after, last, before }).await
    }

    /// When it was recorded or imported.
    async fn created_at(&self) -> DateTime {
        self.0.created_at.into()
    }
}

impl Sample {
    /// The claim that is not over. Shown, not decided upon: that is done by the database's clock.
    fn claim(&self) -> Option<&dataset::Claim> {
        self.0.claim.as_ref().filter(|claim| claim.until > Utc::now())
    }
}

/// One key of a sample: what was answered, and what a person says it should be.
#[derive(SimpleObject)]
pub(crate) struct SampleAnswer {
    /// The instruction's key.
    key: String,
    /// `choice`, `score`, `noul` or `text`.
    r#type: String,
    /// The answer as an inference gives it; null without one.
    answer: Option<Json<Value>>,
    /// What was answered: a choice (or `none_of_these`), the number of the most probable level, `true` or `false`; null for words, or
    /// without an answer.
    value: Option<String>,
    /// How probable `value` was said to be; null when the answer abstains.
    probability: Option<f64>,
    /// A probability for each possible value, a JSON object; null without an answer, or for words.
    probabilities: Option<Json<Map<String, Value>>>,
    /// What a person says it should be; null until one did.
    ground_truth: Option<String>,
    /// How probable the ground truth was said to be; null without one, or when the answer did not say.
    ground_truth_probability: Option<f64>,
    /// Who set the ground truth: the id of a user or of an API key.
    labelled_by: Option<ID>,
    /// When the ground truth was set.
    labelled_at: Option<DateTime>,
}

impl From<dataset::SampleAnswer> for SampleAnswer {
    fn from(answer: dataset::SampleAnswer) -> Self {
        let truth = answer.truth.as_ref();
        Self {
            ground_truth_probability: truth.and_then(|truth| truth.probability),
            labelled_at: truth.map(|truth| truth.at.into()),
            labelled_by: truth.map(|truth| ID(truth.by.clone())),
            ground_truth: answer.truth.map(|truth| truth.value),
            key: answer.key,
            r#type: answer.kind,
            answer: answer.answer.map(Json),
            value: answer.value,
            probability: answer.probability,
            probabilities: answer.probabilities.map(Json),
        }
    }
}

impl CursorKey for Place {
    fn encode(&self) -> String {
        format!("{:x}:{}", self.certainty, self.seq)
    }

    fn decode(text: &str) -> Option<Self> {
        let (certainty, seq) = text.split_once(':')?;
        let certainty = u64::from_str_radix(certainty, 16).ok()?;
        f64::from_bits(certainty).is_finite().then_some(())?;
        Some(Self { certainty, seq: seq.parse().ok()? })
    }
}
