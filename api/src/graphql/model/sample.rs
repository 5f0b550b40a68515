//! Samples and their answers.

use std::sync::Arc;

use async_graphql::{Context, Enum, ID, Json, Object, SimpleObject};
use chrono::Utc;
use domain::learning::dataset::{self, SamplePosition};
use serde_json::{Map, Value};

use super::{
    Actor, Checkpoint, Judge, SampleSource,
    label::{LabelChangeConnection, history},
    moderation_record::ModerationRecord,
};
use crate::graphql::{
    context::loaders,
    date_time::DateTime,
    error::{FieldResult, field_error},
    loaders::{batch_error, loaded},
    pagination::{CursorKey, ListConnection, PageArgs, cost},
};

pub(crate) struct Sample(pub(crate) Arc<dataset::Sample>);

pub(crate) type SampleConnection = ListConnection<Sample>;

/// A sample of a Judge's dataset: a recorded request with its answers, or a row of an imported file.
#[Object]
impl Sample {
    /// The sample's id, `sample_…`.
    pub(crate) async fn id(&self) -> ID {
        ID(self.0.id.to_string())
    }

    /// The Judge whose dataset has the sample.
    async fn judge(&self, ctx: &Context<'_>) -> FieldResult<Judge> {
        loaded(loaders(ctx)?.judges.load_one(self.0.dataset.clone()).await).map(Judge).map_err(field_error)
    }

    /// The version of the Judge that answered; for an import, the newest version at that time.
    async fn judge_version(&self) -> i32 {
        self.0.version
    }

    /// The source of the sample.
    async fn source(&self) -> SampleSource {
        self.0.source.into()
    }

    /// The state that was judged: any JSON.
    async fn state(&self) -> Json<&Value> {
        Json(&self.0.state)
    }

    /// The instructions that were answered: the request's own if it had some, otherwise those of the Judge's version.
    async fn instructions(&self, ctx: &Context<'_>) -> FieldResult<Json<Value>> {
        if let Some(own) = &self.0.instructions {
            return Ok(Json(own.clone()));
        }
        let version = (self.0.dataset.clone(), self.0.version);
        let found = loaded(loaders(ctx)?.instructions.load_one(version).await).map_err(field_error)?;
        Ok(Json((*found).clone()))
    }

    /// Whether the request had instructions of its own in place of the Judge's.
    async fn own_instructions(&self) -> bool {
        self.0.instructions.is_some()
    }

    /// The answers and ground truths, one entry for each key, in the order of the instructions.
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

    /// The Checkpoint that answered; null if none did.
    async fn checkpoint(&self, ctx: &Context<'_>) -> FieldResult<Option<Checkpoint>> {
        let Some(id) = &self.0.checkpoint else { return Ok(None) };
        let found = loaders(ctx)?.checkpoints.load_one(id.clone()).await;
        found.map(|found| found.map(Checkpoint)).map_err(batch_error).map_err(field_error)
    }

    /// How long the answer took, in milliseconds; null without an answer.
    async fn latency_ms(&self) -> Option<f64> {
        self.0.latency_ms
    }

    /// The credits charged for the request; 0 for an import.
    async fn credits(&self) -> f64 {
        self.0.credits.credits()
    }

    /// The probability of the most probable answer; with several keys, the lowest of these probabilities. The review
    /// queue is ordered by it. Null if no answer has probabilities.
    async fn certainty(&self) -> Option<f64> {
        self.0.certainty
    }

    /// The id of the recorded request, `req_…`; null for an import.
    async fn request_id(&self) -> Option<ID> {
        self.0.request_id.clone().map(ID)
    }

    /// The SHA-256 in hex of the state and of the request's own instructions, if it had some. Samples with the same
    /// content have the same hash.
    async fn content_hash(&self) -> &str {
        &self.0.content_hash
    }

    /// The message's verdict; null for a sample of a Judge.
    async fn moderation(&self) -> Option<ModerationRecord> {
        ModerationRecord::of(&self.0)
    }

    /// The user who is to decide on the sample; null for anybody.
    async fn assigned_to(&self) -> Option<Actor> {
        self.0.assigned_to.clone().map(Actor)
    }

    /// Whether at least one key has a ground truth.
    async fn labelled(&self) -> bool {
        self.0.labels > 0
    }

    /// Who has claimed the sample for review; null without a claim.
    async fn claimed_by(&self) -> Option<Actor> {
        self.claim().map(|claim| Actor(claim.by.clone()))
    }

    /// When the claim ends; null without a claim.
    async fn claimed_until(&self) -> Option<DateTime> {
        self.claim().map(|claim| claim.until).map(DateTime)
    }

    /// All changes of the sample's ground truths, newest first.
    #[graphql(complexity = "cost(first, last, child_complexity)")]
    async fn history(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Rows from the start, up to 100; 20 if neither `first` nor `last` is given.")]
        first: Option<i32>,
        #[graphql(desc = "Only rows after this cursor.")] after: Option<String>,
        #[graphql(desc = "Rows from the end, up to 100.")] last: Option<i32>,
        #[graphql(desc = "Only rows before this cursor.")] before: Option<String>,
    ) -> FieldResult<LabelChangeConnection> {
        history(ctx, &self.0, PageArgs { first, after, last, before }).await
    }

    /// When the sample was recorded or imported.
    async fn created_at(&self) -> DateTime {
        self.0.created_at.into()
    }
}

impl From<dataset::Sample> for Sample {
    fn from(sample: dataset::Sample) -> Self {
        Self(Arc::new(sample))
    }
}

impl Sample {
    /// The claim, unless it is over by this process's clock. For display only: claims are decided by the database's
    /// clock.
    fn claim(&self) -> Option<&dataset::Claim> {
        self.0.claim.as_ref().filter(|claim| claim.until > Utc::now())
    }
}

/// The answer and the ground truth of a sample for one key.
#[derive(SimpleObject)]
pub(crate) struct SampleAnswer {
    /// The key of the answer.
    key: String,
    /// The type of the answer.
    r#type: AnswerType,
    /// The answer in the form that an inference gives it; null without an answer.
    answer: Option<Json<Value>>,
    /// The answered value: a choice or `none_of_these`, the number of the most probable level, `true` or `false`; null
    /// for an answer in words and without an answer.
    value: Option<String>,
    /// The probability that the answer gave to `value`; null if the answer abstains.
    probability: Option<f64>,
    /// The probability of each possible value, as a JSON object; null for an answer in words and without an answer.
    probabilities: Option<Json<Map<String, Value>>>,
    /// The right answer as a person set it; null until then.
    ground_truth: Option<String>,
    /// The probability that the answer gave to the ground truth; null without a ground truth or without such a
    /// probability.
    ground_truth_probability: Option<f64>,
    /// Who set the ground truth; null until then.
    labelled_by: Option<Actor>,
    /// When the ground truth was set.
    labelled_at: Option<DateTime>,
}

/// The type of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum)]
pub(crate) enum AnswerType {
    /// One of several choices.
    Choice,
    /// A level on a scale.
    Score,
    /// True or false.
    Noul,
    /// Words.
    Text,
}

impl AnswerType {
    /// The type of this name in the database.
    fn of(name: &str) -> Self {
        match name {
            "choice" => AnswerType::Choice,
            "score" => AnswerType::Score,
            "noul" => AnswerType::Noul,
            _ => AnswerType::Text,
        }
    }
}

impl From<dataset::SampleAnswer> for SampleAnswer {
    fn from(answer: dataset::SampleAnswer) -> Self {
        let truth = answer.truth.as_ref();
        Self {
            ground_truth_probability: truth.and_then(|truth| truth.probability),
            labelled_at: truth.map(|truth| truth.at.into()),
            labelled_by: truth.map(|truth| Actor(truth.by.clone())),
            ground_truth: answer.truth.map(|truth| truth.value),
            key: answer.key,
            r#type: AnswerType::of(&answer.kind),
            answer: answer.answer.map(Json),
            value: answer.value,
            probability: answer.probability,
            probabilities: answer.probabilities.map(Json),
        }
    }
}

impl CursorKey for SamplePosition {
    fn encode(&self) -> String {
        format!("{:x}:{}", self.rank, self.seq)
    }

    fn decode(text: &str) -> Option<Self> {
        let (rank, seq) = text.split_once(':')?;
        let rank = u64::from_str_radix(rank, 16).ok()?;
        f64::from_bits(rank).is_finite().then_some(())?;
        Some(Self { rank, seq: seq.parse().ok()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursor_keys_come_back_as_they_were() {
        let key = SamplePosition { rank: (0.1f64 + 0.2).to_bits(), seq: -5 };
        let decoded = SamplePosition::decode(&key.encode()).unwrap();
        assert_eq!((decoded.rank, decoded.seq), (key.rank, key.seq));
        assert!(SamplePosition::decode("7ff8000000000000:1").is_none());
    }
}
