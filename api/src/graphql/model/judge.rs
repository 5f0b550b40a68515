//! Judges and their versions.

use async_graphql::{Context, Enum, ID, Json, Object, SimpleObject};
use domain::learning::{
    checkpoint::CheckpointFilter,
    dataset::{DatasetOwner, MAX_VERSIONS},
    evaluation::EvaluationFilter,
    judge,
    moderation_log::ModerationLog,
};
use ports::decision::{Choice, QuestionKind};
use ports::id::{DatasetId, JudgeId};
use serde_json::Value;

use super::{
    Actor, AnswerFilterInput, Checkpoint, CheckpointConnection, EvaluationConnection, JudgeStats,
    ModerationFilterInput, SampleConnection, SampleFilterInput,
    checkpoint::{CheckpointState, checkpoints},
    evaluation::evaluations,
    lists::{SAMPLE_COST, SampleFilters, SampleList, SampleOrderBy, sample_page},
};
use crate::graphql::{
    context::{actor, loaders, services},
    date_time::DateTime,
    error::{FieldResult, field_error},
    loaders::{batch_error, loaded},
    pagination::{ListConnection, PageArgs, cost},
};

pub(crate) struct Judge(pub(crate) DatasetOwner);

pub(crate) type JudgeConnection = ListConnection<Judge>;

/// A named, stored set of questions, with a dataset of the requests that it answered.
#[Object]
impl Judge {
    /// The Judge's id, `judge_…`.
    pub(crate) async fn id(&self) -> ID {
        ID(self.0.id().to_string())
    }

    /// Whether it is the account's moderation log, whose samples are moderated messages. A log is neither asked nor
    /// trained.
    async fn moderation_log(&self) -> bool {
        matches!(self.0, DatasetOwner::ModerationLog(_))
    }

    /// After how many days samples are deleted; null for never.
    async fn retention_days(&self) -> Option<i32> {
        match &self.0 {
            DatasetOwner::Judge(_) => None,
            DatasetOwner::ModerationLog(log) => log.retention_days,
        }
    }

    /// The Judge's name.
    async fn name(&self) -> &str {
        self.0.name()
    }

    /// The Judge's purpose; may be empty.
    async fn description(&self) -> &str {
        self.0.description()
    }

    /// The instructions as they were given: JSON in any form that an inference takes.
    async fn instructions(&self) -> Json<&Value> {
        Json(&self.0.version().instructions)
    }

    /// The parameters of the Judge's inferences: a JSON object.
    async fn parameters(&self) -> Json<&serde_json::Map<String, Value>> {
        Json(&self.0.version().parameters)
    }

    /// The JSON Schema that the states of requests and of imported samples must fit; null for none.
    async fn state_schema(&self) -> Option<Json<&Value>> {
        self.0.version().state_schema.as_ref().map(Json)
    }

    /// The questions in the instructions, in the same form whatever the form of the instructions.
    async fn questions(&self) -> FieldResult<Vec<Question>> {
        questions(&self.0.version().instructions)
    }

    /// Whether requests through the Judge are recorded in its dataset, with their answers.
    async fn store_content(&self) -> bool {
        self.0.stores_content()
    }

    /// The number of the newest version, which answers requests.
    async fn version(&self) -> i32 {
        self.0.version().number
    }

    /// The newest versions, newest first: up to 100, and fewer if they are large. The versions of a Judge are numbered
    /// from 1 without gaps.
    #[graphql(complexity = "cost(i32::try_from(MAX_VERSIONS).ok(), None, child_complexity)")]
    async fn versions(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Only versions before this one.")] before: Option<i32>,
    ) -> FieldResult<Vec<JudgeVersion>> {
        let datasets = &services(ctx)?.datasets;
        let versions = datasets.list_versions(&actor(ctx)?.account, &self.0.id(), before).await;
        let versions = versions.map_err(field_error)?;
        Ok(versions.into_iter().map(JudgeVersion).collect())
    }

    /// The path at which the Judge answers `POST` requests.
    async fn endpoint(&self) -> String {
        format!("/api/v1/judges/{}/inference", self.0.id())
    }

    /// Whether the Judge is archived. An archived Judge answers no requests.
    async fn archived(&self) -> bool {
        self.0.archived_at().is_some()
    }

    /// When the Judge was archived; null if it is not.
    async fn archived_at(&self) -> Option<DateTime> {
        self.0.archived_at().map(DateTime)
    }

    /// The samples of the Judge's dataset.
    #[graphql(complexity = "cost(first, last, child_complexity + SAMPLE_COST)")]
    #[allow(clippy::too_many_arguments)]
    async fn samples(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Rows from the start, up to 100; 20 if neither `first` nor `last` is given.")]
        first: Option<i32>,
        #[graphql(desc = "Only rows after this cursor.")] after: Option<String>,
        #[graphql(desc = "Rows from the end, up to 100.")] last: Option<i32>,
        #[graphql(desc = "Only rows before this cursor.")] before: Option<String>,
        #[graphql(desc = "Only samples that match this filter.")] filter: Option<SampleFilterInput>,
        #[graphql(desc = "Only samples with an answer that matches this filter.")] answer: Option<
            AnswerFilterInput,
        >,
        #[graphql(
            desc = "Only samples whose state, as JSON, contains this text, in upper or lower case: up to 200 \
                    characters."
        )]
        text: Option<String>,
        #[graphql(desc = "Only messages of a moderation log that match this filter.")] moderation: Option<
            ModerationFilterInput,
        >,
        #[graphql(desc = "The order of the list.", default)] order: SampleOrderBy,
    ) -> FieldResult<SampleConnection> {
        let dataset = self.0.id();
        let by_severity = order == SampleOrderBy::MostSevereFirst;
        let moderation = moderation.or_else(|| by_severity.then(ModerationFilterInput::default));
        let query = SampleFilters { filter, answer, moderation, text }.query().map_err(field_error)?;
        let wanted = SampleList { dataset, query, order: order.into() };
        sample_page(ctx, wanted, PageArgs { first, after, last, before }).await
    }

    /// The samples without any ground truth that the viewer could review, the least certain first and those without a
    /// certainty last. Samples that others have claimed are left out until the claim ends.
    #[graphql(complexity = "cost(first, last, child_complexity + SAMPLE_COST)")]
    async fn review_queue(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Rows from the start, up to 100; 20 if neither `first` nor `last` is given.")]
        first: Option<i32>,
        #[graphql(desc = "Only rows after this cursor.")] after: Option<String>,
        #[graphql(desc = "Rows from the end, up to 100.")] last: Option<i32>,
        #[graphql(desc = "Only rows before this cursor.")] before: Option<String>,
    ) -> FieldResult<SampleConnection> {
        let wanted = SampleList::to_review(ctx, self.0.id())?;
        sample_page(ctx, wanted, PageArgs { first, after, last, before }).await
    }

    /// Statistics of the Judge's samples.
    async fn stats(
        &self,
        #[graphql(desc = "Only samples that match this filter; by default all.")] filter: Option<
            SampleFilterInput,
        >,
    ) -> JudgeStats {
        JudgeStats((self.0.id(), filter.unwrap_or_default().into()))
    }

    /// The Judge's Checkpoints, newest first.
    #[graphql(complexity = "cost(first, last, child_complexity)")]
    #[allow(clippy::too_many_arguments)]
    async fn checkpoints(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Rows from the start, up to 100; 20 if neither `first` nor `last` is given.")]
        first: Option<i32>,
        #[graphql(desc = "Only rows after this cursor.")] after: Option<String>,
        #[graphql(desc = "Rows from the end, up to 100.")] last: Option<i32>,
        #[graphql(desc = "Only rows before this cursor.")] before: Option<String>,
        #[graphql(desc = "Only Checkpoints in this state.")] state: Option<CheckpointState>,
    ) -> FieldResult<CheckpointConnection> {
        let filter = CheckpointFilter { judge: Some(self.judge_id()), state: state.map(Into::into) };
        checkpoints(ctx, self.0.account(), filter, PageArgs { first, after, last, before }).await
    }

    /// The evaluations of the Judge and of its Checkpoints, newest first.
    #[graphql(complexity = "cost(first, last, child_complexity)")]
    async fn evaluations(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Rows from the start, up to 100; 20 if neither `first` nor `last` is given.")]
        first: Option<i32>,
        #[graphql(desc = "Only rows after this cursor.")] after: Option<String>,
        #[graphql(desc = "Rows from the end, up to 100.")] last: Option<i32>,
        #[graphql(desc = "Only rows before this cursor.")] before: Option<String>,
    ) -> FieldResult<EvaluationConnection> {
        let filter = EvaluationFilter { judge: Some(self.judge_id()) };
        evaluations(ctx, self.0.account(), filter, PageArgs { first, after, last, before }).await
    }

    /// The Checkpoint that answers; null if the base model does.
    async fn active_checkpoint(&self, ctx: &Context<'_>) -> FieldResult<Option<Checkpoint>> {
        let Some(active) = self.0.checkpoint() else { return Ok(None) };
        let found = loaders(ctx)?.checkpoints.load_one(active.id.clone()).await;
        found.map(|found| found.map(Checkpoint)).map_err(batch_error).map_err(field_error)
    }

    /// When the Judge was created.
    async fn created_at(&self) -> DateTime {
        self.0.created_at().into()
    }

    /// When the Judge was last changed.
    async fn updated_at(&self) -> DateTime {
        self.0.updated_at().into()
    }
}

impl From<DatasetOwner> for Judge {
    fn from(owner: DatasetOwner) -> Self {
        Self(owner)
    }
}

impl From<judge::Judge> for Judge {
    fn from(judge: judge::Judge) -> Self {
        Self(judge.into())
    }
}

impl From<ModerationLog> for Judge {
    fn from(log: ModerationLog) -> Self {
        Self(log.into())
    }
}

impl Judge {
    /// The id by which Checkpoints and evaluations name their Judge; a moderation log has none of them.
    fn judge_id(&self) -> JudgeId {
        match &self.0 {
            DatasetOwner::Judge(judge) => judge.id.clone(),
            DatasetOwner::ModerationLog(log) => JudgeId::from(log.id.to_string()),
        }
    }
}

pub(crate) struct JudgeVersion(judge::JudgeVersion);

/// A version of a Judge's instructions, parameters and schema of states. It never changes.
#[Object]
impl JudgeVersion {
    /// The version's number: 1, 2, 3, …
    async fn version(&self) -> i32 {
        self.0.number
    }

    /// The instructions as they were given.
    async fn instructions(&self) -> Json<&Value> {
        Json(&self.0.instructions)
    }

    /// The parameters: a JSON object.
    async fn parameters(&self) -> Json<&serde_json::Map<String, Value>> {
        Json(&self.0.parameters)
    }

    /// The JSON Schema that states must fit; null for none.
    async fn state_schema(&self) -> Option<Json<&Value>> {
        self.0.state_schema.as_ref().map(Json)
    }

    /// The questions in the instructions.
    async fn questions(&self) -> FieldResult<Vec<Question>> {
        questions(&self.0.instructions)
    }

    /// Who created the version.
    async fn created_by(&self) -> Actor {
        Actor(self.0.created_by.clone())
    }

    /// When the version was created.
    async fn created_at(&self) -> DateTime {
        self.0.created_at.into()
    }
}

/// A question of a Judge.
#[derive(SimpleObject)]
pub(crate) struct Question {
    /// The key of the question's answer.
    key: String,
    /// The type of the question.
    r#type: QuestionType,
    /// The text of the question; empty if there is only a key.
    text: String,
    /// The possible answers in order: the choices, the numbers of the levels, or `true` and `false`.
    values: Vec<String>,
    /// The same values with what they mean.
    options: Vec<QuestionOption>,
}

/// A possible answer to a question.
#[derive(SimpleObject)]
pub(crate) struct QuestionOption {
    /// The value in answers: a choice, the number of a level, `true` or `false`.
    value: String,
    /// What it means: the description of a choice, of true or of false, or the words of a level. Null without one.
    description: Option<String>,
}

/// The type of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum)]
pub(crate) enum QuestionType {
    /// One of several choices.
    Choice,
    /// A level on a scale.
    Score,
    /// True or false.
    Noul,
    /// A freeform prompt.
    Prompt,
}

impl From<&QuestionKind> for QuestionType {
    fn from(kind: &QuestionKind) -> Self {
        match kind {
            QuestionKind::Choice(_) => QuestionType::Choice,
            QuestionKind::Score(_) => QuestionType::Score,
            QuestionKind::Noul { .. } => QuestionType::Noul,
            QuestionKind::Prompt => QuestionType::Prompt,
        }
    }
}

impl From<Choice> for QuestionOption {
    fn from(Choice { value, description }: Choice) -> Self {
        Self { value, description }
    }
}

fn questions(instructions: &Value) -> FieldResult<Vec<Question>> {
    let read = judge::questions(instructions).map_err(field_error)?;
    Ok(read
        .into_iter()
        .map(|question| Question {
            text: question.text(),
            r#type: QuestionType::from(&question.kind),
            values: question.kind.values(),
            options: question.kind.options().into_iter().map(QuestionOption::from).collect(),
            key: question.key,
        })
        .collect())
}

/// The Judge of a Checkpoint or of an evaluation.
pub(super) async fn judge_of(ctx: &Context<'_>, id: &JudgeId) -> FieldResult<Judge> {
    loaded(loaders(ctx)?.judges.load_one(DatasetId::from(id)).await).map(Judge).map_err(field_error)
}
