//! Evaluation runs, and two of them side by side.

use async_graphql::{Context, ID, InputObject, Object, SimpleObject};
use domain::learning::{
    agreement::ComparedKey,
    evaluation::{self, ChangePosition, Comparison, Estimate, EvaluationFilter, NewEvaluation},
};
use ports::id::{AccountId, EvaluationId, JudgeId};

use super::{Actor, Checkpoint, Judge, Sample, SampleFilterInput, job::JobState, judge::judge_of};
use crate::{
    agreement::{AccuracyDifference, AnswerMetrics},
    evaluated_model::evaluated_model,
    graphql::{
        context::{actor, loaders, services},
        date_time::DateTime,
        error::{FieldResult, field_error},
        loaders::{batch_error, loaded},
        pagination::{CursorKey, ListConnection, PageArgs, connection, count_of},
    },
};

pub(crate) struct Evaluation(pub(crate) evaluation::Evaluation);

pub(crate) type EvaluationConnection = ListConnection<Evaluation>;
pub(crate) type EvaluationChangeConnection = ListConnection<EvaluationChange>;

/// The complexity of metrics: they may have some hundred kilobytes.
const METRICS_COST: usize = 10;

/// A run of a Judge's version, or of a Checkpoint, over the Judge's labelled samples. Nothing is recorded as if a
/// client had asked.
#[Object]
impl Evaluation {
    /// The evaluation's id, `eval_…`.
    pub(crate) async fn id(&self) -> ID {
        ID(self.0.id.to_string())
    }

    /// The Judge whose samples are read.
    async fn judge(&self, ctx: &Context<'_>) -> FieldResult<Judge> {
        judge_of(ctx, &self.0.judge).await
    }

    /// The version of the Judge whose questions are asked.
    async fn judge_version(&self) -> i32 {
        self.0.version
    }

    /// The Checkpoint that answers; null for the base model.
    async fn checkpoint(&self, ctx: &Context<'_>) -> FieldResult<Option<Checkpoint>> {
        let Some(id) = &self.0.checkpoint else { return Ok(None) };
        let found = loaders(ctx)?.checkpoints.load_one(id.clone()).await;
        found.map(|found| found.map(Checkpoint)).map_err(batch_error).map_err(field_error)
    }

    /// Its state.
    async fn state(&self) -> JobState {
        self.0.state.into()
    }

    /// Labelled samples when it was started.
    async fn samples(&self) -> u64 {
        self.0.samples
    }

    /// Samples that were answered so far, each of which was charged.
    async fn done(&self) -> u64 {
        self.0.done
    }

    /// The credits that a sample costs: the price of an inference when it was started.
    async fn price(&self) -> f64 {
        self.0.price.credits()
    }

    /// The metrics of each key; empty until it succeeds.
    #[graphql(complexity = "child_complexity + METRICS_COST")]
    async fn metrics(&self, ctx: &Context<'_>) -> FieldResult<Vec<AnswerMetrics>> {
        let found = loaders(ctx)?.evaluation_metrics.load_one(self.0.id.clone()).await;
        let metrics = loaded(found).map_err(field_error)?;
        Ok(metrics.into_iter().map(AnswerMetrics::from).collect())
    }

    /// Why it failed; null otherwise.
    async fn error(&self) -> Option<&str> {
        self.0.error.as_deref()
    }

    /// Who started it.
    async fn created_by(&self) -> Actor {
        Actor(self.0.created_by.clone())
    }

    /// When it was started. Only samples and ground truths of before count.
    async fn created_at(&self) -> DateTime {
        self.0.created_at.into()
    }

    /// When a worker began it; null until then.
    async fn started_at(&self) -> Option<DateTime> {
        self.0.started_at.map(DateTime)
    }

    /// When it ended; null until then.
    async fn finished_at(&self) -> Option<DateTime> {
        self.0.finished_at.map(DateTime)
    }
}

/// What to evaluate: a version of a Judge with the model as it answers now, as it is, or with a Checkpoint.
#[derive(InputObject)]
pub(crate) struct EvaluationInput {
    /// The id of the Judge, whose labelled samples are read.
    judge_id: ID,
    /// The version whose questions are asked; by default the newest.
    version: Option<i32>,
    /// The Checkpoint that answers; by default the active one, if there is one.
    checkpoint_id: Option<ID>,
    /// Whether the model answers as it is, without any Checkpoint.
    #[graphql(default = false)]
    zero_shot: bool,
    /// Only labelled samples that match this filter.
    filter: Option<SampleFilterInput>,
}

impl EvaluationInput {
    pub(crate) fn read(self) -> domain::Result<NewEvaluation> {
        let checkpoint = self.checkpoint_id.as_ref().map(|id| id.as_str());
        let model = evaluated_model(checkpoint, self.zero_shot, "checkpointId")?;
        let filter = self.filter.map(Into::into).unwrap_or_default();
        Ok(NewEvaluation { judge: JudgeId::parse(&self.judge_id)?, version: self.version, model, filter })
    }
}

/// What an evaluation would cost.
#[derive(SimpleObject)]
pub(crate) struct EvaluationPrice {
    /// The labelled samples, each of which is one inference.
    samples: u64,
    /// The credits that each costs.
    price: f64,
    /// The credits that all cost.
    credits: f64,
}

impl From<Estimate> for EvaluationPrice {
    fn from(estimate: Estimate) -> Self {
        Self { samples: estimate.samples, price: estimate.price.credits(), credits: estimate.total.credits() }
    }
}

/// Two evaluations of a Judge side by side, on the samples that both answered under the same ground truth.
#[derive(SimpleObject)]
pub(crate) struct EvaluationComparison {
    /// The evaluation that is compared with.
    old: Evaluation,
    /// The evaluation that is compared.
    new: Evaluation,
    /// The metrics of each key.
    keys: Vec<EvaluationKeyComparison>,
    /// The difference over all keys; null without common samples.
    difference: Option<AccuracyDifference>,
    /// Whether the new one is better by a confidence bound.
    better: bool,
    /// Why it is called better, or not.
    reason: String,
    /// The answers that differ, by sample.
    changes: EvaluationChangeConnection,
}

/// Two evaluations under one key.
#[derive(SimpleObject)]
pub(crate) struct EvaluationKeyComparison {
    /// The key.
    key: String,
    /// The metrics of the old one.
    old: AnswerMetrics,
    /// The metrics of the new one.
    new: AnswerMetrics,
    /// The difference under this key.
    difference: Option<AccuracyDifference>,
}

pub(crate) struct EvaluationChange(evaluation::Change);

/// An answer that differs between two evaluations.
#[Object]
impl EvaluationChange {
    /// The sample; null if it was purged meanwhile.
    async fn sample(&self, ctx: &Context<'_>) -> FieldResult<Option<Sample>> {
        let service = services(ctx)?;
        let who = actor(ctx)?;
        let ids = std::slice::from_ref(&self.0.sample);
        let found = service.datasets.find_many(&who.account, ids).await.map_err(field_error)?;
        Ok(found.into_iter().next().map(Sample::from))
    }

    /// The sample's id.
    async fn sample_id(&self) -> ID {
        ID(self.0.sample.to_string())
    }

    /// The key.
    async fn key(&self) -> &str {
        &self.0.key
    }

    /// The ground truth.
    async fn ground_truth(&self) -> &str {
        &self.0.truth
    }

    /// The old one's answer; null for an abstention.
    async fn old(&self) -> Option<&str> {
        self.0.old.as_deref()
    }

    /// The new one's answer; null for an abstention.
    async fn new(&self) -> Option<&str> {
        self.0.new.as_deref()
    }

    /// True if the new answer is right and the old was not, false if the other way round, null if neither is right.
    async fn improved(&self) -> Option<bool> {
        match (self.is_right(self.0.old.as_deref()), self.is_right(self.0.new.as_deref())) {
            (false, true) => Some(true),
            (true, false) => Some(false),
            (true, true) | (false, false) => None,
        }
    }
}

impl EvaluationChange {
    fn is_right(&self, answer: Option<&str>) -> bool {
        answer == Some(self.0.truth.as_str())
    }
}

impl CursorKey for ChangePosition {
    fn encode(&self) -> String {
        format!("{}:{}", self.seq, self.key)
    }

    fn decode(text: &str) -> Option<Self> {
        let (seq, key) = text.split_once(':')?;
        Some(Self { seq: seq.parse().ok()?, key: key.to_owned() })
    }
}

/// Two evaluations side by side, with a page of the answers that differ.
pub(crate) async fn compared(
    ctx: &Context<'_>,
    old: &str,
    new: &str,
    args: PageArgs,
) -> FieldResult<EvaluationComparison> {
    let service = services(ctx)?;
    let who = actor(ctx)?;
    let old = EvaluationId::parse(old).map_err(field_error)?;
    let new = EvaluationId::parse(new).map_err(field_error)?;
    let list = format!("changes:{old}:{new}");
    let page = args.page::<ChangePosition>(&list)?;
    let found = service.evaluations.compare(&who.account, &old, &new, page).await;
    let Comparison { old, new, keys, difference, verdict, changed, changes } = found.map_err(field_error)?;
    let count = count_of(changed, |changed| async move { Ok(changed) });
    Ok(EvaluationComparison {
        old: Evaluation(old),
        new: Evaluation(new),
        keys: keys
            .into_iter()
            .map(|ComparedKey { key, new, old, difference }| EvaluationKeyComparison {
                key,
                old: old.into(),
                new: new.into(),
                difference: difference.map(AccuracyDifference::from),
            })
            .collect(),
        difference: difference.map(AccuracyDifference::from),
        better: verdict.better,
        reason: verdict.reason,
        changes: connection(&list, changes, |change| change.position.clone(), EvaluationChange, count),
    })
}

/// A page of an account's or a Judge's evaluations. The pages of many Judges are read together.
pub(super) async fn evaluations(
    ctx: &Context<'_>,
    account: &AccountId,
    filter: EvaluationFilter,
    args: PageArgs,
) -> FieldResult<EvaluationConnection> {
    let whose = filter.judge.as_ref().map_or(account.as_str(), |judge| judge.as_str());
    let list = format!("evaluations:{whose}");
    let loaders = loaders(ctx)?;
    let page = args.page::<String>(&list)?;
    let slice =
        loaded(loaders.evaluation_pages.load_one((filter.clone(), page)).await).map_err(field_error)?;
    let count = count_of((loaders.evaluation_counts.clone(), filter), |(counts, filter)| async move {
        loaded(counts.load_one(filter).await)
    });
    Ok(connection(&list, slice, |evaluation| evaluation.id.to_string(), Evaluation, count))
}
