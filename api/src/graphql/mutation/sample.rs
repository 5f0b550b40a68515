//! Teaching and tidying a dataset: ground truths, claims, purges.

use async_graphql::{Context, ID, InputObject, Object, SimpleObject};
use chrono::{TimeDelta, Utc};
use domain::{
    Error, Result,
    dataset::{self, Changed, SampleFilter, SampleQuery, Selection},
    id::{ChangeId, JudgeId, SampleId},
};

use crate::graphql::{
    context::{actor, services},
    error::{FieldResult, UserError, split_user_errors},
    model::{AnswerFilterInput, Sample, SampleFilterInput, sample_query},
};

/// The oldest that samples can be, in days: a hundred years.
const DAYS: i32 = 36_500;

/// Teaching and tidying a dataset: ground truths, claims, purges.
#[derive(Default)]
pub(crate) struct SampleMutation;

/// What one answer should be.
#[derive(InputObject)]
struct ReclassifySampleInput {
    /// The sample.
    sample_id: ID,
    /// The instruction's key.
    key: String,
    /// The ground truth: one of the choices, the number of a level, `true` or `false`.
    value: String,
}

/// What the answers of many samples of a Judge should be. They are named by `sampleIds`, or else by `filter`, `answer` or both.
#[derive(InputObject)]
struct ReclassifySamplesInput {
    /// The Judge.
    judge_id: ID,
    /// Up to 10,000 samples of the Judge.
    sample_ids: Option<Vec<ID>>,
    /// Those of its samples that this matches, if they are at most 10,000.
    filter: Option<SampleFilterInput>,
    /// Those of its samples with such an answer, if they are at most 10,000.
    answer: Option<AnswerFilterInput>,
    /// The instruction's key.
    key: String,
    /// The ground truth: one of the choices, the number of a level, `true` or `false`.
    value: String,
}

/// Which ground truths to clear.
#[derive(InputObject)]
struct ClearGroundTruthInput {
    /// Up to 10,000 samples.
    sample_ids: Vec<ID>,
    /// The instruction's key.
    key: String,
}

/// Which change to undo.
#[derive(InputObject)]
struct UndoReclassificationInput {
    /// The change, as it was given by whatever made it, or by a sample's history.
    change_id: ID,
}

/// What to review: a certain sample, or else the next of a Judge's review queue.
#[derive(InputObject)]
struct ClaimSampleInput {
    /// The Judge whose queue's next sample is claimed. Given again, it is the one after that.
    judge_id: Option<ID>,
    /// This sample, whether or not it is in the queue.
    sample_id: Option<ID>,
}

/// Which sample.
#[derive(InputObject)]
struct SampleInput {
    /// The sample.
    sample_id: ID,
}

/// Which samples of a Judge to purge: by exactly one of `sampleIds`, `filter` and `olderThanDays`.
#[derive(InputObject)]
struct PurgeSamplesInput {
    /// The Judge.
    judge_id: ID,
    /// Up to 10,000 samples of the Judge.
    sample_ids: Option<Vec<ID>>,
    /// All of its samples that this matches; an empty one matches all.
    filter: Option<SampleFilterInput>,
    /// All of its samples that were recorded or imported more than so many days ago, from 0 to 36,500.
    older_than_days: Option<i32>,
    /// Whether they are only counted.
    #[graphql(default = false)]
    dry_run: bool,
}

/// The sample as it is now, or why nothing changed.
#[derive(SimpleObject)]
struct ReclassifySamplePayload {
    /// The sample; null when the input was wrong.
    sample: Option<Sample>,
    /// The change, to undo it by; null when nothing changed.
    change_id: Option<ID>,
    /// What was wrong with the input.
    user_errors: Vec<UserError>,
}

/// The samples as they are now, or why nothing changed.
#[derive(SimpleObject)]
struct ReclassifySamplesPayload {
    /// The samples that it was about, the first 100 of them in the order they came to be.
    samples: Vec<Sample>,
    /// How many ground truths changed; those that were so already do not count.
    changed: u64,
    /// The change, to undo it by; null when nothing changed.
    change_id: Option<ID>,
    /// What was wrong with the input.
    user_errors: Vec<UserError>,
}

/// The sample as it is now, or why nothing changed.
#[derive(SimpleObject)]
struct SamplePayload {
    /// The sample; null when the input was wrong, or when the queue is empty.
    sample: Option<Sample>,
    /// What was wrong with the input.
    user_errors: Vec<UserError>,
}

/// How many samples are gone, or why none is.
#[derive(SimpleObject)]
struct PurgeSamplesPayload {
    /// How many were purged, or with `dryRun` would be; null when the input was wrong.
    count: Option<u64>,
    /// What was wrong with the input.
    user_errors: Vec<UserError>,
}

impl ReclassifySamplesPayload {
    fn of(result: Result<Changed>) -> FieldResult<Self> {
        let (changed, user_errors) = split_user_errors(result)?;
        let changed = changed.unwrap_or(Changed { change: None, count: 0, samples: Vec::new() });
        Ok(Self {
            samples: changed.samples.into_iter().map(Sample).collect(),
            changed: changed.count as u64,
            change_id: changed.change.map(|change| ID(change.to_string())),
            user_errors,
        })
    }
}

impl SamplePayload {
    fn of(result: Result<Option<dataset::Sample>>) -> FieldResult<Self> {
        let (sample, user_errors) = split_user_errors(result)?;
        Ok(Self { sample: sample.flatten().map(Sample), user_errors })
    }
}

#[Object]
impl SampleMutation {
    /// Says what an answer should be, in place of what was said before. Needs the role editor.
    async fn reclassify_sample(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Which answer, and what it should be.")] input: ReclassifySampleInput,
    ) -> FieldResult<ReclassifySamplePayload> {
        let (service, actor) = (services(ctx)?, actor(ctx)?);
        let reclassify = async {
            let selection = Selection::one(SampleId::sent(&input.sample_id)?);
            dataset::reclassify(&service.db, actor, &selection, &input.key, Some(&input.value)).await
        };
        let ReclassifySamplesPayload { mut samples, change_id, user_errors, .. } =
            ReclassifySamplesPayload::of(reclassify.await)?;
        Ok(ReclassifySamplePayload { sample: samples.pop(), change_id, user_errors })
    }

    /// Says what the answers of many samples should be: of all or, when one of them cannot have it, of none. Needs the role
    /// editor.
    async fn reclassify_samples(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Which answers, and what they should be.")] input: ReclassifySamplesInput,
    ) -> FieldResult<ReclassifySamplesPayload> {
        let (service, actor) = (services(ctx)?, actor(ctx)?);
        let reclassify = async {
            let judge = JudgeId::sent(&input.judge_id)?;
            domain::judge::find(&service.db, &actor.account, &judge).await?;
            let by_query = input.filter.is_some() || input.answer.is_some();
            let selection = match input.sample_ids {
                Some(ids) if !by_query => Selection::Ids { judge: Some(judge), ids: sample_ids(&ids)? },
                None if by_query => {
                    Selection::Matching { judge, query: sample_query(input.filter, input.answer) }
                }
                _ => return Err(one_of("sampleIds, or filter and answer")),
            };
            dataset::reclassify(&service.db, actor, &selection, &input.key, Some(&input.value)).await
        };
        ReclassifySamplesPayload::of(reclassify.await)
    }

    /// Takes back what answers should be, as if nobody had said it. Needs the role editor.
    async fn clear_ground_truth(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Which answers.")] input: ClearGroundTruthInput,
    ) -> FieldResult<ReclassifySamplesPayload> {
        let (service, actor) = (services(ctx)?, actor(ctx)?);
        let clear = async {
            let selection = Selection::Ids { judge: None, ids: sample_ids(&input.sample_ids)? };
            dataset::reclassify(&service.db, actor, &selection, &input.key, None).await
        };
        ReclassifySamplesPayload::of(clear.await)
    }

    /// Puts back the ground truths that a change replaced: all of them or, when one has been changed since, none, with
    /// `CONFLICT`. That is a change as well, and can be undone. Needs the role editor.
    async fn undo_reclassification(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Which change.")] input: UndoReclassificationInput,
    ) -> FieldResult<ReclassifySamplesPayload> {
        let (service, actor) = (services(ctx)?, actor(ctx)?);
        let undo = async { dataset::undo(&service.db, actor, &ChangeId::sent(&input.change_id)?).await };
        ReclassifySamplesPayload::of(undo.await)
    }

    /// Takes a sample for review, so that nobody else gets it within ten minutes, or until it is labelled or released. Needs the
    /// role editor.
    async fn claim_sample(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Which sample, or of which Judge.")] input: ClaimSampleInput,
    ) -> FieldResult<SamplePayload> {
        let (service, actor) = (services(ctx)?, actor(ctx)?);
        let claim = async {
            match (&input.judge_id, &input.sample_id) {
                (Some(judge), None) => dataset::claim_next(&service.db, actor, &JudgeId::sent(judge)?).await,
                (None, Some(id)) => dataset::claim(&service.db, actor, &SampleId::sent(id)?).await.map(Some),
                _ => Err(one_of("judgeId and sampleId")),
            }
        };
        SamplePayload::of(claim.await)
    }

    /// Gives a sample back that was taken for review. Needs the role editor.
    async fn release_sample(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Which sample.")] input: SampleInput,
    ) -> FieldResult<SamplePayload> {
        let (service, actor) = (services(ctx)?, actor(ctx)?);
        let release = async {
            dataset::release(&service.db, actor, &SampleId::sent(&input.sample_id)?).await.map(Some)
        };
        SamplePayload::of(release.await)
    }

    /// Deletes samples of a Judge for ever, with their answers, their history and the answers that are kept for their
    /// requests' `Idempotency-Key`. The ledger stays. Needs the role editor.
    async fn purge_samples(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Which samples.")] input: PurgeSamplesInput,
    ) -> FieldResult<PurgeSamplesPayload> {
        let (service, actor) = (services(ctx)?, actor(ctx)?);
        let purge = async {
            let judge = JudgeId::sent(&input.judge_id)?;
            let dry_run = input.dry_run;
            let selection = to_purge(&judge, input)?;
            dataset::purge(&service.db, actor, &judge, &selection, dry_run).await
        };
        let (count, user_errors) = split_user_errors(purge.await)?;
        Ok(PurgeSamplesPayload { count, user_errors })
    }
}

fn to_purge(judge: &JudgeId, input: PurgeSamplesInput) -> Result<Selection> {
    let matching = |filter: SampleFilter| Selection::Matching {
        judge: judge.clone(),
        query: SampleQuery { filter, ..SampleQuery::default() },
    };
    match (input.sample_ids, input.filter, input.older_than_days) {
        (Some(ids), None, None) => Ok(Selection::Ids { judge: Some(judge.clone()), ids: sample_ids(&ids)? }),
        (None, Some(filter), None) => Ok(matching(filter.into())),
        (None, None, Some(days)) if (0..=DAYS).contains(&days) => {
            let until = Some(Utc::now() - TimeDelta::days(days.into()));
            Ok(matching(SampleFilter { until, ..SampleFilter::default() }))
        }
        (None, None, Some(_)) => Err(Error::invalid("olderThanDays", format!("must be from 0 to {DAYS}"))),
        _ => Err(one_of("sampleIds, filter and olderThanDays")),
    }
}

fn sample_ids(ids: &[ID]) -> Result<Vec<SampleId>> {
    ids.iter().map(|id| SampleId::sent(id)).collect()
}

fn one_of(fields: &str) -> Error {
    Error::invalid("input", format!("must have exactly one of {fields}"))
}
