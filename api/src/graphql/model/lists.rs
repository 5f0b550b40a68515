//! Lists of a dataset's samples: filters, orders and pages. The pages of many datasets are read together.

use async_graphql::{Context, Enum, InputObject};
use domain::{
    Result,
    learning::dataset::{AnswerFilter, SampleOrder, SamplePage, SamplePosition, SampleQuery, StateText},
};
use ports::id::DatasetId;

use super::{ModerationFilterInput, Sample, SampleConnection, SampleFilterInput};
use crate::graphql::{
    context::{actor, loaders},
    error::{FieldResult, field_error},
    loaders::loaded,
    pagination::{PageArgs, connection, count_of},
};

/// The complexity of reading a sample, whichever of its fields are selected: its state may be long.
pub(super) const SAMPLE_COST: usize = 10;

/// The order of a list of samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Enum)]
#[graphql(name = "SampleOrder")]
#[allow(clippy::enum_variant_names)] // On the wire each stands without the type's name.
pub(crate) enum SampleOrderBy {
    /// The newest samples first.
    #[default]
    NewestFirst,
    /// The oldest samples first.
    OldestFirst,
    /// The samples with the lowest certainty first, and those without a certainty last.
    LeastCertainFirst,
    /// The messages of a moderation log with the highest threat score first. Samples without a verdict are left out.
    MostSevereFirst,
}

/// Selects samples by their answer for one key. A sample matches if all given conditions hold.
#[derive(Clone, Debug, InputObject)]
pub(crate) struct AnswerFilterInput {
    /// The key of the answer.
    key: String,
    /// The answer: a choice, the number of a level, `true` or `false`.
    value: Option<String>,
    /// The ground truth.
    ground_truth: Option<String>,
    /// True if the answer is the ground truth, false if it is not; samples that lack one of them do not match.
    agrees: Option<bool>,
}

/// A list of samples of a dataset.
pub(super) struct SampleList {
    pub(super) dataset: DatasetId,
    pub(super) query: SampleQuery,
    pub(super) order: SampleOrder,
}

impl From<SampleOrderBy> for SampleOrder {
    fn from(order: SampleOrderBy) -> Self {
        match order {
            SampleOrderBy::NewestFirst => SampleOrder::NewestFirst,
            SampleOrderBy::OldestFirst => SampleOrder::OldestFirst,
            SampleOrderBy::LeastCertainFirst => SampleOrder::LeastCertainFirst,
            SampleOrderBy::MostSevereFirst => SampleOrder::MostSevereFirst,
        }
    }
}

impl SampleList {
    /// The samples of `dataset` that the actor could review.
    pub(super) fn to_review(ctx: &Context<'_>, dataset: DatasetId) -> FieldResult<Self> {
        let reviewable_by = Some(actor(ctx)?.name().to_owned());
        let query = SampleQuery { reviewable_by, ..SampleQuery::default() };
        Ok(Self { dataset, query, order: SampleOrder::LeastCertainFirst })
    }
}

/// A page of a list of samples.
pub(super) async fn sample_page(
    ctx: &Context<'_>,
    wanted: SampleList,
    args: PageArgs,
) -> FieldResult<SampleConnection> {
    let SampleList { dataset, query, order } = wanted;
    let loaders = loaders(ctx)?;
    let list = name(&dataset, &query, order);
    let page = args.page::<SamplePosition>(&list)?;
    let wanted = SamplePage { dataset: dataset.clone(), query: query.clone(), order, page };
    let slice = loaded(loaders.sample_pages.load_one(wanted).await).map_err(field_error)?;
    let counts = loaders.sample_counts.clone();
    let count =
        count_of(
            (counts, (dataset, query)),
            |(counts, key)| async move { loaded(counts.load_one(key).await) },
        );
    Ok(connection(&list, (*slice).clone(), move |sample| sample.position(order), Sample, count))
}

/// A list's name in its cursors. The filter has no part in it: a filter does not change the order of samples.
fn name(dataset: &DatasetId, query: &SampleQuery, order: SampleOrder) -> String {
    let kind = if query.reviewable_by.is_some() { "review" } else { "samples" };
    let order = match order {
        SampleOrder::NewestFirst => "newest",
        SampleOrder::OldestFirst => "oldest",
        SampleOrder::LeastCertainFirst => "unsure",
        SampleOrder::MostSevereFirst => "severe",
    };
    format!("{kind}:{dataset}:{order}")
}

/// The filters of a list of samples.
#[derive(Default)]
pub(crate) struct SampleFilters {
    pub(crate) filter: Option<SampleFilterInput>,
    pub(crate) answer: Option<AnswerFilterInput>,
    pub(crate) moderation: Option<ModerationFilterInput>,
    /// A text in their state.
    pub(crate) text: Option<String>,
}

impl SampleFilters {
    pub(crate) fn is_empty(&self) -> bool {
        self.filter.is_none() && self.answer.is_none() && self.moderation.is_none() && self.text.is_none()
    }

    /// # Errors
    /// `VALIDATION_FAILED` for values that are not allowed.
    pub(crate) fn query(self) -> Result<SampleQuery> {
        let Self { filter, answer, moderation, text } = self;
        let text = text.as_deref().filter(|text| !text.is_empty());
        let text = text.map(StateText::parse).transpose()?;
        let answer = answer.map(|answer| AnswerFilter {
            key: answer.key,
            value: answer.value,
            truth: answer.ground_truth,
            agrees: answer.agrees,
        });
        let moderation = moderation.map(ModerationFilterInput::read).transpose()?.map(Box::new);
        let filter = filter.map(Into::into).unwrap_or_default();
        Ok(SampleQuery { filter, answer, moderation, text, ..SampleQuery::default() })
    }
}
