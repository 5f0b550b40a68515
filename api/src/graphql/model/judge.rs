//! A Judge and its versions.

use async_graphql::{Context, ID, Json, Object, SimpleObject};
use domain::judge;
use serde_json::Value;

use super::{
    AnswerFilterInput, JudgeStats, SampleConnection, SampleFilterInput,
    lists::{SampleList, SampleOrderBy, sample_page},
    sample_query,
};
use crate::graphql::{
    context::{actor, services},
    date_time::DateTime,
    error::{FieldResult, field_error},
    pagination::{ListConnection, PageArgs, cost},
};

/// What reading a sample costs, whatever is asked of it: what was decided about may be long.
const SAMPLE: usize = 10;

/// A named, stored set of questions, with a dataset of what it saw.
pub(crate) struct Judge(pub(crate) judge::Judge);

/// A page of Judges.
pub(crate) type JudgeConnection = ListConnection<Judge>;

/// A named, stored set of questions, with a dataset of what it saw.
#[Object]
impl Judge {
    /// `judge_…`
    pub(crate) async fn id(&self) -> ID {
        ID(self.0.id.to_string())
    }

    /// A person's word for it.
    async fn name(&self) -> &str {
        &self.0.name
    }

    /// What it is for; may be empty.
    async fn description(&self) -> &str {
        &self.0.description
    }

    /// What it asks, as it was given: JSON in any form that an inference takes.
    async fn instructions(&self) -> Json<&Value> {
        Json(&self.0.version.instructions)
    }

    /// What tunes it: a JSON object.
    async fn parameters(&self) -> Json<&serde_json::Map<String, Value>> {
        Json(&self.0.version.parameters)
    }

    /// What it asks, read: one entry for each question, whatever form the instructions have.
    async fn questions(&self) -> FieldResult<Vec<Question>> {
        questions(&self.0.version.instructions)
    }

    /// Whether requests through it, and their answers, are recorded in its dataset.
    async fn store_content(&self) -> bool {
        self.0.store_content
    }

    /// The number of its newest version, which answers.
    async fn version(&self) -> i32 {
        self.0.version.number
    }

    /// All its versions, newest first.
    async fn versions(&self, ctx: &Context<'_>) -> FieldResult<Vec<JudgeVersion>> {
        let versions = judge::versions(&services(ctx)?.db, &actor(ctx)?.account, &self.0.id)
            .await
            .map_err(field_error)?;
        Ok(versions.into_iter().map(JudgeVersion).collect())
    }

    /// The path to run it at, with `POST`.
    async fn endpoint(&self) -> String {
        format!("/api/v1/judges/{}/inference", self.0.id)
    }

    /// Whether it is archived, and so no longer answers.
    async fn archived(&self) -> bool {
        self.0.archived_at.is_some()
    }

    /// Since when it is archived.
    async fn archived_at(&self) -> Option<DateTime> {
        self.0.archived_at.map(DateTime)
    }

    /// What it saw, and what was imported for it.
    #[graphql(complexity = "cost(first, last, child_complexity + SAMPLE)")]
    #[allow(clippy::too_many_arguments)]
    async fn samples(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "How many from the start, up to 100; 20 when neither `first` nor `last` is given.")]
        first: Option<i32>,
        #[graphql(desc = "Only what comes after this cursor.")] after: Option<String>,
        #[graphql(desc = "How many from the end, up to 100.")] last: Option<i32>,
        #[graphql(desc = "Only what comes before this cursor.")] before: Option<String>,
        #[graphql(desc = "Which samples.")] filter: Option<SampleFilterInput>,
        #[graphql(desc = "Only samples with such an answer.")] answer: Option<AnswerFilterInput>,
        #[graphql(desc = "In what order.", default)] order: SampleOrderBy,
    ) -> FieldResult<SampleConnection> {
        let (judge, query) = (self.0.id.clone(), sample_query(filter, answer));
        let wanted = SampleList { judge, query, order: order.into() };
        sample_page(ctx, wanted, PageArgs { first, after, last, before }).await
    }

    /// The samples without any ground truth that whoever asks could review, the least certain first and those without a certainty
    /// last. What others have claimed is left out until their claim is over.
    #[graphql(complexity = "cost(first, last, child_complexity + SAMPLE)")]
    async fn review_queue(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "How many from the start, up to 100; 20 when neither `first` nor `last` is given.")]
        first: Option<i32>,
        #[graphql(desc = "Only what comes after this cursor.")] after: Option<String>,
        #[graphql(desc = "How many from the end, up to 100.")] last: Option<i32>,
        #[graphql(desc = "Only what comes before this cursor.")] before: Option<String>,
    ) -> FieldResult<SampleConnection> {
        let wanted = SampleList::to_review(ctx, self.0.id.clone())?;
        sample_page(ctx, wanted, PageArgs { first, after, last, before }).await
    }

    /// Figures over its samples.
    async fn stats(
        &self,
        #[graphql(desc = "Over which samples; all when left out.")] filter: Option<SampleFilterInput>,
    ) -> JudgeStats {
        JudgeStats((self.0.id.clone(), filter.unwrap_or_default().into()))
    }

    /// When it was created.
    async fn created_at(&self) -> DateTime {
        self.0.created_at.into()
    }

    /// When anything of it last changed.
    async fn updated_at(&self) -> DateTime {
        self.0.updated_at.into()
    }
}

/// What a Judge asks, or once asked. Never changes.
pub(crate) struct JudgeVersion(judge::Version);

/// What a Judge asks, or once asked. Never changes.
#[Object]
impl JudgeVersion {
    /// 1, 2, 3, …
    async fn version(&self) -> i32 {
        self.0.number
    }

    /// What it asks, as it was given.
    async fn instructions(&self) -> Json<&Value> {
        Json(&self.0.instructions)
    }

    /// What tunes it: a JSON object.
    async fn parameters(&self) -> Json<&serde_json::Map<String, Value>> {
        Json(&self.0.parameters)
    }

    /// What it asks, read.
    async fn questions(&self) -> FieldResult<Vec<Question>> {
        questions(&self.0.instructions)
    }

    /// Who made it: the id of a user or of an API key.
    async fn created_by(&self) -> ID {
        ID(self.0.created_by.clone())
    }

    /// When it was made.
    async fn created_at(&self) -> DateTime {
        self.0.created_at.into()
    }
}

/// One question.
#[derive(SimpleObject)]
pub(crate) struct Question {
    /// The key its answer is given under.
    key: String,
    /// `choice`, `score`, `noul` or `prompt`.
    r#type: &'static str,
    /// The question in words; empty when the key says it all.
    text: String,
    /// What can be answered, in order: the choices; the levels' numbers; `true` and `false`.
    values: Vec<String>,
}

fn questions(instructions: &Value) -> FieldResult<Vec<Question>> {
    let read = judge::questions(instructions).map_err(field_error)?;
    Ok(read
        .into_iter()
        .map(|question| Question {
            text: question.text(),
            r#type: question.kind.as_str(),
            values: question.kind.values(),
            key: question.key,
        })
        .collect())
}
