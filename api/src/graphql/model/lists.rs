//! A Judge's lists of samples: which, in what order, and by page. Pages of many Judges are read together.

use async_graphql::{Context, Enum, InputObject};
use domain::{
    dataset::{AnswerFilter, Place, SampleOrder, SamplePage, SampleQuery},
    id::JudgeId,
};

use super::{Sample, SampleConnection, SampleFilterInput};
use crate::graphql::{
    context::{actor, loaders},
    error::{FieldResult, field_error},
    loaders::loaded,
    pagination::{PageArgs, connection},
};

/// In what order samples are listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Enum)]
#[graphql(name = "SampleOrder")]
#[allow(clippy::enum_variant_names)] // On the wire each stands without the type's name.
pub(crate) enum SampleOrderBy {
    /// The last recorded first.
    #[default]
    NewestFirst,
    /// The first recorded first.
    OldestFirst,
    /// The least certain first; those without a certainty last.
    LeastCertainFirst,
}

/// What must hold of the answer under one key. What is left out does not matter; what is given must all hold.
#[derive(Clone, Debug, InputObject)]
pub(crate) struct AnswerFilterInput {
    /// The instruction's key.
    key: String,
    /// What was answered: a choice, the number of a level, `true` or `false`.
    value: Option<String>,
    /// The ground truth.
    ground_truth: Option<String>,
    /// Whether the answer is the ground truth, of those that have both: `false` finds the mistakes.
    agrees: Option<bool>,
}

/// Which samples of a Judge, and how they are listed.
pub(super) struct SampleList {
    pub(super) judge: JudgeId,
    pub(super) query: SampleQuery,
    pub(super) order: SampleOrder,
}

impl From<SampleOrderBy> for SampleOrder {
    fn from(order: SampleOrderBy) -> Self {
        match order {
            SampleOrderBy::NewestFirst => SampleOrder::NewestFirst,
            SampleOrderBy::OldestFirst => SampleOrder::OldestFirst,
            SampleOrderBy::LeastCertainFirst => SampleOrder::LeastCertainFirst,
        }
    }
}

impl SampleList {
    /// Those of `judge` that whoever asks could review.
    pub(super) fn to_review(ctx: &Context<'_>, judge: JudgeId) -> FieldResult<Self> {
        let reviewable_by = Some(actor(ctx)?.name().to_owned());
        let query = SampleQuery { reviewable_by, ..SampleQuery::default() };
        Ok(Self { judge, query, order: SampleOrder::LeastCertainFirst })
    }
}

/// A page of a Judge's samples.
pub(super) async fn sample_page(
    ctx: &Context<'_>,
    wanted: SampleList,
    args: PageArgs,
) -> FieldResult<SampleConnection> {
    let SampleList { judge, query, order } = wanted;
    let loaders = loaders(ctx)?;
    let list = name(&judge, &query, order);
    let page = args.page::<Place>(&list)?;
    let wanted = SamplePage { judge: judge.clone(), query: query.clone(), order, page };
    let slice = loaded(loaders.sample_pages.load_one(wanted).await).map_err(field_error)?;
    let counts = loaders.sample_counts.clone();
    let count = move || {
        let (counts, key) = (counts.clone(), (judge.clone(), query.clone()));
        Box::pin(async move { loaded(counts.load_one(key).await) }) as _
    };
    Ok(connection(&list, (*slice).clone(), |sample| sample.place(), Sample, Box::new(count)))
}

/// A list's name in its cursors. A filter does not move a sample, but a cursor of other samples is most likely a mistake.
fn name(judge: &JudgeId, query: &SampleQuery, order: SampleOrder) -> String {
    let kind = if query.reviewable_by.is_some() { "review" } else { "samples" };
    let order = match order {
        SampleOrder::NewestFirst => "newest",
        SampleOrder::OldestFirst => "oldest",
        SampleOrder::LeastCertainFirst => "unsure",
    };
    format!("{kind}:{judge}:{order}")
}

/// What a filter and an answer's filter come to.
pub(crate) fn sample_query(
    filter: Option<SampleFilterInput>,
    answer: Option<AnswerFilterInput>,
) -> SampleQuery {
    let answer = answer.map(|answer| AnswerFilter {
        key: answer.key,
        value: answer.value,
        truth: answer.ground_truth,
        agrees: answer.agrees,
    });
    SampleQuery { filter: filter.map(Into::into).unwrap_or_default(), answer, reviewable_by: None }
}
