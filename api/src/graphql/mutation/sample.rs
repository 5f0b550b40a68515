//! Mutations of samples: ground truths, claims and purges.

use async_graphql::{Context, ID, InputObject, Object, SimpleObject};
use chrono::{TimeDelta, Utc};
use domain::{
    Error, Result,
    learning::dataset::{self, Changed, SampleFilter, SampleQuery, Selection},
};
use ports::id::{ChangeId, DatasetId, SampleId, UserId};

use super::parse_id;
use crate::graphql::{
    context::{actor, services},
    error::{FieldResult, UserError, split_user_errors},
    model::{AnswerFilterInput, ModerationFilterInput, Sample, SampleFilterInput, SampleFilters},
};

/// The largest `olderThanDays`: a hundred years.
const DAYS: i32 = 36_500;

#[derive(Default)]
pub(crate) struct SampleMutation;

/// The ground truth of one answer.
#[derive(InputObject)]
struct ReclassifySampleInput {
    /// The sample's id.
    sample_id: ID,
    /// The key of the answer.
    key: String,
    /// The ground truth: one of the choices, the number of a level, `true` or `false`.
    value: String,
}

/// The ground truth of the answers of many samples of a Judge. The samples are given either by `sampleIds` or by
/// filters.
#[derive(InputObject)]
struct ReclassifySamplesInput {
    /// The Judge's id.
    judge_id: ID,
    /// The ids of up to 10,000 samples of the Judge.
    sample_ids: Option<Vec<ID>>,
    /// Selects the samples that match this filter, up to 10,000.
    filter: Option<SampleFilterInput>,
    /// Selects the samples with an answer that matches this filter, up to 10,000.
    answer: Option<AnswerFilterInput>,
    /// Selects the messages of a moderation log that match this filter, up to 10,000.
    moderation: Option<ModerationFilterInput>,
    /// Selects the samples whose state contains this text, as `Judge.samples` does.
    text: Option<String>,
    /// The key of the answers.
    key: String,
    /// The ground truth: one of the choices, the number of a level, `true` or `false`.
    value: String,
    /// What others should know about it: up to 1,000 characters.
    note: Option<String>,
}

/// The samples to assign.
#[derive(InputObject)]
struct AssignSamplesInput {
    /// The ids of up to 1,000 samples.
    sample_ids: Vec<ID>,
    /// The user who is to decide on them; null for anybody.
    user_id: Option<ID>,
}

/// The ground truths to clear.
#[derive(InputObject)]
struct ClearGroundTruthInput {
    /// The ids of up to 10,000 samples.
    sample_ids: Vec<ID>,
    /// The key of the answers.
    key: String,
}

/// The reclassification to undo.
#[derive(InputObject)]
struct UndoReclassificationInput {
    /// The id of the reclassification, from its payload or from a sample's history.
    change_id: ID,
}

/// The sample to claim: either a certain one or the next one of a Judge's review queue.
#[derive(InputObject)]
struct ClaimSampleInput {
    /// The id of the Judge whose queue's next sample is claimed. The same claim again gets the sample after that.
    judge_id: Option<ID>,
    /// The id of a sample, which need not be in the queue.
    sample_id: Option<ID>,
}

/// The sample to release.
#[derive(InputObject)]
struct ReleaseSampleInput {
    /// The sample's id.
    sample_id: ID,
}

/// The samples of a Judge to purge, given by exactly one of `sampleIds`, `filter` and `olderThanDays`.
#[derive(InputObject)]
struct PurgeSamplesInput {
    /// The Judge's id.
    judge_id: ID,
    /// The ids of up to 10,000 samples of the Judge.
    sample_ids: Option<Vec<ID>>,
    /// Selects all samples that match this filter; an empty filter matches all.
    filter: Option<SampleFilterInput>,
    /// Selects all samples that were recorded or imported more than this many days ago, from 0 to 36,500.
    older_than_days: Option<i32>,
    /// Whether the samples are only counted, not purged.
    #[graphql(default = false)]
    dry_run: bool,
}

/// The changed sample, or errors.
#[derive(SimpleObject)]
struct ReclassifySamplePayload {
    /// The sample; null if there were errors.
    sample: Option<Sample>,
    /// The id of the reclassification, to undo it by; null if nothing changed.
    change_id: Option<ID>,
    /// Errors in the input; empty if there are none.
    user_errors: Vec<UserError>,
}

/// The changed samples, or errors.
#[derive(SimpleObject)]
struct ReclassifySamplesPayload {
    /// The selected samples, or the first 100 of them in the order in which they were recorded.
    samples: Vec<Sample>,
    /// The number of ground truths that changed.
    changed: u64,
    /// The id of the reclassification, to undo it by; null if nothing changed.
    change_id: Option<ID>,
    /// Errors in the input; empty if there are none.
    user_errors: Vec<UserError>,
}

/// The claimed or released sample, or errors.
#[derive(SimpleObject)]
struct SamplePayload {
    /// The sample; null if there were errors or the queue is empty.
    sample: Option<Sample>,
    /// Errors in the input; empty if there are none.
    user_errors: Vec<UserError>,
}

/// The assigned samples, or errors.
#[derive(SimpleObject)]
struct AssignSamplesPayload {
    /// The samples, or the first 100 of them.
    samples: Vec<Sample>,
    /// Errors in the input; empty if there are none.
    user_errors: Vec<UserError>,
}

/// The number of purged samples, or errors.
#[derive(SimpleObject)]
struct PurgeSamplesPayload {
    /// The number of samples that were purged, or with `dryRun` would be; null if there were errors.
    count: Option<u64>,
    /// Errors in the input; empty if there are none.
    user_errors: Vec<UserError>,
}

impl ReclassifySamplesPayload {
    fn of(result: Result<Changed>) -> FieldResult<Self> {
        let (changed, user_errors) = split_user_errors(result)?;
        let changed = changed.unwrap_or(Changed { change: None, count: 0, samples: Vec::new() });
        Ok(Self {
            samples: changed.samples.into_iter().map(Sample::from).collect(),
            changed: changed.count as u64,
            change_id: changed.change.map(|change| ID(change.to_string())),
            user_errors,
        })
    }
}

impl SamplePayload {
    fn of(result: Result<Option<dataset::Sample>>) -> FieldResult<Self> {
        let (sample, user_errors) = split_user_errors(result)?;
        Ok(Self { sample: sample.flatten().map(Sample::from), user_errors })
    }
}

#[Object]
impl SampleMutation {
    /// Sets the ground truth of an answer, or replaces it. Needs the role editor, or moderator for the moderation log.
    async fn reclassify_sample(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The answer and its ground truth.")] input: ReclassifySampleInput,
    ) -> FieldResult<ReclassifySamplePayload> {
        let service = services(ctx)?;
        let actor = actor(ctx)?;
        let reclassify = async {
            let selection = Selection::one(SampleId::parse(&input.sample_id)?);
            service.datasets.reclassify(actor, &selection, &input.key, Some(&input.value), None).await
        };
        let ReclassifySamplesPayload { mut samples, change_id, user_errors, .. } =
            ReclassifySamplesPayload::of(reclassify.await)?;
        Ok(ReclassifySamplePayload { sample: samples.pop(), change_id, user_errors })
    }

    /// Sets the ground truth of the answers of many samples: of all of them or, if one cannot have it, of none. Needs
    /// the role editor, or moderator for the moderation log.
    async fn reclassify_samples(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The answers and their ground truth.")] input: ReclassifySamplesInput,
    ) -> FieldResult<ReclassifySamplesPayload> {
        let service = services(ctx)?;
        let actor = actor(ctx)?;
        let reclassify = async {
            let dataset = DatasetId::parse(&input.judge_id)?;
            service.datasets.find_owner(&actor.account, &dataset).await?;
            let filters = SampleFilters {
                filter: input.filter,
                answer: input.answer,
                moderation: input.moderation,
                text: input.text,
            };
            let selection = match input.sample_ids {
                Some(ids) if filters.is_empty() => {
                    Selection::Ids { dataset: Some(dataset), ids: sample_ids(&ids)? }
                }
                None if !filters.is_empty() => Selection::Matching { dataset, query: filters.query()? },
                _ => return Err(one_of("sampleIds, or filter, answer, moderation and text")),
            };
            let value = Some(input.value.as_str());
            let note = input.note.as_deref();
            service.datasets.reclassify(actor, &selection, &input.key, value, note).await
        };
        ReclassifySamplesPayload::of(reclassify.await)
    }

    /// Clears the ground truth of answers. Needs the role editor, or moderator for the moderation log.
    async fn clear_ground_truth(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The answers.")] input: ClearGroundTruthInput,
    ) -> FieldResult<ReclassifySamplesPayload> {
        let service = services(ctx)?;
        let actor = actor(ctx)?;
        let clear = async {
            let selection = Selection::Ids { dataset: None, ids: sample_ids(&input.sample_ids)? };
            service.datasets.reclassify(actor, &selection, &input.key, None, None).await
        };
        ReclassifySamplesPayload::of(clear.await)
    }

    /// Restores the ground truths that a reclassification replaced: all of them or, if one has been changed since,
    /// none, with `CONFLICT`. The restoration is itself a reclassification and can be undone. Needs the role editor, or
    /// moderator for the moderation log.
    async fn undo_reclassification(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The reclassification.")] input: UndoReclassificationInput,
    ) -> FieldResult<ReclassifySamplesPayload> {
        let service = services(ctx)?;
        let actor = actor(ctx)?;
        let undo = async { service.datasets.undo(actor, &ChangeId::parse(&input.change_id)?).await };
        ReclassifySamplesPayload::of(undo.await)
    }

    /// Claims a sample for review. Nobody else can claim it for ten minutes, or until it is labelled or released. Needs
    /// the role editor, or moderator for the moderation log.
    async fn claim_sample(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The sample or the Judge.")] input: ClaimSampleInput,
    ) -> FieldResult<SamplePayload> {
        let service = services(ctx)?;
        let actor = actor(ctx)?;
        let claim = async {
            match (&input.judge_id, &input.sample_id) {
                (Some(judge), None) => service.datasets.claim_next(actor, &DatasetId::parse(judge)?).await,
                (None, Some(id)) => service.datasets.claim(actor, &SampleId::parse(id)?).await.map(Some),
                _ => Err(one_of("judgeId and sampleId")),
            }
        };
        SamplePayload::of(claim.await)
    }

    /// Ends the claim of a sample. Needs the role editor, or moderator for the moderation log.
    async fn release_sample(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The sample.")] input: ReleaseSampleInput,
    ) -> FieldResult<SamplePayload> {
        let service = services(ctx)?;
        let actor = actor(ctx)?;
        let release =
            async { service.datasets.release(actor, &SampleId::parse(&input.sample_id)?).await.map(Some) };
        SamplePayload::of(release.await)
    }

    /// Assigns samples to a person of the account, or to nobody. Anybody who may decide on them still can. Needs the
    /// role editor, or moderator for messages of the moderation log.
    async fn assign_samples(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The samples and the user.")] input: AssignSamplesInput,
    ) -> FieldResult<AssignSamplesPayload> {
        let service = services(ctx)?;
        let actor = actor(ctx)?;
        let assign = async {
            actor.require_moderator()?;
            let user = input.user_id.as_ref().map(parse_id::<UserId>);
            service.datasets.assign(actor, &sample_ids(&input.sample_ids)?, user.as_ref()).await
        };
        let (samples, user_errors) = split_user_errors(assign.await)?;
        let samples = samples.unwrap_or_default().into_iter().map(Sample::from).collect();
        Ok(AssignSamplesPayload { samples, user_errors })
    }

    /// Deletes samples of a Judge for good, with their answers, their history and the responses stored for their
    /// requests' `Idempotency-Key`. The ledger stays. Needs the role editor.
    async fn purge_samples(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The samples.")] input: PurgeSamplesInput,
    ) -> FieldResult<PurgeSamplesPayload> {
        let service = services(ctx)?;
        let actor = actor(ctx)?;
        let purge = async {
            let dataset = DatasetId::parse(&input.judge_id)?;
            let dry_run = input.dry_run;
            let selection = to_purge(&dataset, input)?;
            service.datasets.purge(actor, &dataset, &selection, dry_run).await
        };
        let (count, user_errors) = split_user_errors(purge.await)?;
        Ok(PurgeSamplesPayload { count, user_errors })
    }
}

fn to_purge(dataset: &DatasetId, input: PurgeSamplesInput) -> Result<Selection> {
    match (input.sample_ids, input.filter, input.older_than_days) {
        (Some(ids), None, None) => {
            Ok(Selection::Ids { dataset: Some(dataset.clone()), ids: sample_ids(&ids)? })
        }
        (None, Some(filter), None) => Ok(matching(dataset, filter.into())),
        (None, None, Some(days)) if (0..=DAYS).contains(&days) => {
            let until = Some(Utc::now() - TimeDelta::days(days.into()));
            Ok(matching(dataset, SampleFilter { until, ..SampleFilter::default() }))
        }
        (None, None, Some(_)) => Err(Error::invalid("olderThanDays", format!("must be from 0 to {DAYS}"))),
        _ => Err(one_of("sampleIds, filter and olderThanDays")),
    }
}

fn matching(dataset: &DatasetId, filter: SampleFilter) -> Selection {
    let query = SampleQuery { filter, ..SampleQuery::default() };
    Selection::Matching { dataset: dataset.clone(), query }
}

fn sample_ids(ids: &[ID]) -> Result<Vec<SampleId>> {
    Ok(ids.iter().map(|id| SampleId::parse(id)).collect::<Result<_, _>>()?)
}

fn one_of(fields: &str) -> Error {
    Error::invalid("input", format!("must have exactly one of {fields}"))
}
