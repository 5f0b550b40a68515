//! Evaluation runs, and two of them side by side.

use async_graphql::{Context, Enum, ID, InputObject, Object, SimpleObject};
use domain::learning::{
    agreement::ComparedKey,
    dataset::SampleFilter,
    evaluation::{
        self, AnswerPosition, Comparison, Estimate, EvaluationAnswerFilter, EvaluationFilter,
        EvaluationMetrics, NewEvaluation,
    },
};
use ports::id::{AccountId, EvaluationId, JudgeId, SampleId};

use super::{
    Actor, Checkpoint, Judge, Sample, SampleFilterInput, SampleSource, job::JobState, judge::judge_of,
};
use crate::{
    agreement::{AccuracyDifference, AnswerMetrics},
    evaluated_model::{EvaluatedModelNames, evaluated_model},
    graphql::{
        context::{actor, loaders, services},
        date_time::DateTime,
        error::{FieldResult, field_error},
        loaders::{batch_error, loaded},
        pagination::{CursorKey, ListConnection, PageArgs, connection, cost, count_of},
    },
};

pub(crate) struct Evaluation(pub(crate) evaluation::Evaluation);

pub(crate) type EvaluationConnection = ListConnection<Evaluation>;
pub(crate) type EvaluationAnswerConnection = ListConnection<EvaluationAnswer>;
pub(crate) type EvaluationChangeConnection = ListConnection<EvaluationChange>;

/// What GraphQL calls the fields.
const NAMES: EvaluatedModelNames = EvaluatedModelNames { checkpoint: "checkpointId", zero_shot: "zeroShot" };
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

    /// The backend that answers; null for the model in process.
    async fn backend(&self) -> Option<&str> {
        self.0.backend.as_deref()
    }

    /// The Checkpoint that answers; null for the base model or a backend.
    async fn checkpoint(&self, ctx: &Context<'_>) -> FieldResult<Option<Checkpoint>> {
        let Some(id) = &self.0.checkpoint else { return Ok(None) };
        let found = loaders(ctx)?.checkpoints.load_one(id.clone()).await;
        found.map(|found| found.map(Checkpoint)).map_err(batch_error).map_err(field_error)
    }

    /// Which labelled samples it reads, by what the Checkpoint was trained on.
    async fn scope(&self) -> EvaluationScope {
        self.0.scope.into()
    }

    /// The filter on its samples.
    async fn filter(&self) -> EvaluatedSamples {
        self.0.filter.clone().into()
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

    /// The credits that a sample costs: the price of an inference, or of the backend, when it was started.
    async fn price(&self) -> f64 {
        self.0.price.credits()
    }

    /// The metrics of each key, on samples that the Checkpoint was not trained on; empty until it succeeds.
    #[graphql(complexity = "child_complexity + METRICS_COST")]
    async fn metrics(&self, ctx: &Context<'_>) -> FieldResult<Vec<AnswerMetrics>> {
        Ok(self.all_metrics(ctx).await?.unseen.into_iter().map(AnswerMetrics::from).collect())
    }

    /// The metrics of each key, on samples that the Checkpoint was trained on, which flatter it; empty until it
    /// succeeds, and unless its scope is `ALL`.
    #[graphql(complexity = "child_complexity + METRICS_COST")]
    async fn trained_metrics(&self, ctx: &Context<'_>) -> FieldResult<Vec<AnswerMetrics>> {
        Ok(self.all_metrics(ctx).await?.trained.into_iter().map(AnswerMetrics::from).collect())
    }

    /// Its answers so far, by sample and key.
    #[graphql(complexity = "cost(first, last, child_complexity)")]
    async fn answers(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Only answers that match this filter.")] filter: Option<EvaluationAnswerFilterInput>,
        #[graphql(desc = "Rows from the start, up to 100; 20 if neither `first` nor `last` is given.")]
        first: Option<i32>,
        #[graphql(desc = "Only rows after this cursor.")] after: Option<String>,
        #[graphql(desc = "Rows from the end, up to 100.")] last: Option<i32>,
        #[graphql(desc = "Only rows before this cursor.")] before: Option<String>,
    ) -> FieldResult<EvaluationAnswerConnection> {
        let services = services(ctx)?.clone();
        let filter: EvaluationAnswerFilter = filter.map(Into::into).unwrap_or_default();
        let list = format!("answers:{}", self.0.id);
        let page = PageArgs { first, after, last, before }.page::<AnswerPosition>(&list)?;
        let of = (services, self.0.account.clone(), self.0.id.clone(), filter);
        let (service, account, id, filter) = &of;
        let found = service.evaluations.answers(account, id, filter, page).await.map_err(field_error)?;
        let count = count_of(of, |(service, account, id, filter)| async move {
            service.evaluations.answer_count(&account, &id, &filter).await
        });
        Ok(connection(&list, found, |answer| answer.position.clone(), EvaluationAnswer, count))
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

impl Evaluation {
    async fn all_metrics(&self, ctx: &Context<'_>) -> FieldResult<EvaluationMetrics> {
        let found = loaders(ctx)?.evaluation_metrics.load_one(self.0.id.clone()).await;
        loaded(found).map_err(field_error)
    }
}

/// Which labelled samples an evaluation reads, by what the Checkpoint that answers was trained on.
#[derive(Clone, Copy, PartialEq, Eq, Enum)]
#[graphql(remote = "evaluation::EvaluationScope")]
pub(crate) enum EvaluationScope {
    /// Those that the Checkpoint was not trained on; without a Checkpoint, all.
    Unseen,
    /// Those that were held out of the Checkpoint's training.
    HeldOut,
    /// Those recorded or imported since the Checkpoint was submitted, whose content it was not trained on.
    New,
    /// All. Answers about those that the Checkpoint was trained on are kept apart from the others.
    All,
}

/// The filter on the samples of an evaluation.
#[derive(SimpleObject)]
pub(crate) struct EvaluatedSamples {
    /// Recorded or imported at this time or later.
    since: Option<DateTime>,
    /// Recorded or imported before this time.
    until: Option<DateTime>,
    /// Of this version of the Judge.
    version: Option<i32>,
    /// Recorded or imported.
    source: Option<SampleSource>,
}

impl From<SampleFilter> for EvaluatedSamples {
    fn from(filter: SampleFilter) -> Self {
        let SampleFilter { since, until, version, source, labelled: _ } = filter;
        Self {
            since: since.map(DateTime),
            until: until.map(DateTime),
            version,
            source: source.map(SampleSource::from),
        }
    }
}

/// Selects answers of an evaluation. An answer matches if all given conditions hold.
#[derive(InputObject)]
pub(crate) struct EvaluationAnswerFilterInput {
    /// Under this key.
    key: Option<String>,
    /// With this ground truth.
    ground_truth: Option<String>,
    /// With this answer.
    answer: Option<String>,
    /// True for answers that are the ground truth, false for others.
    agrees: Option<bool>,
    /// True for abstentions, false for others.
    abstained: Option<bool>,
    /// True for samples that the Checkpoint was trained on, false for others.
    trained: Option<bool>,
}

impl From<EvaluationAnswerFilterInput> for EvaluationAnswerFilter {
    fn from(input: EvaluationAnswerFilterInput) -> Self {
        let EvaluationAnswerFilterInput { key, ground_truth, answer, agrees, abstained, trained } = input;
        Self { key, truth: ground_truth, answer, agrees, abstained, trained }
    }
}

pub(crate) struct EvaluationAnswer(evaluation::EvaluationAnswer);

/// An answer of an evaluation.
#[Object]
impl EvaluationAnswer {
    /// The sample; null if it was purged meanwhile.
    async fn sample(&self, ctx: &Context<'_>) -> FieldResult<Option<Sample>> {
        let Some(id) = &self.0.sample else { return Ok(None) };
        find_sample(ctx, id).await
    }

    /// The key.
    async fn key(&self) -> &str {
        &self.0.key
    }

    /// The ground truth.
    async fn ground_truth(&self) -> &str {
        &self.0.truth
    }

    /// The answer; null for an abstention.
    async fn answer(&self) -> Option<&str> {
        self.0.answer.as_deref()
    }

    /// The probability of the answer.
    async fn probability(&self) -> Option<f64> {
        self.0.probability
    }

    /// The probability of the ground truth.
    async fn ground_truth_probability(&self) -> Option<f64> {
        self.0.truth_probability
    }

    /// Whether the Checkpoint was trained on the sample.
    async fn trained(&self) -> bool {
        self.0.trained
    }
}

async fn find_sample(ctx: &Context<'_>, id: &SampleId) -> FieldResult<Option<Sample>> {
    let found = loaders(ctx)?.samples.load_one(id.clone()).await;
    found.map(|found| found.map(Sample)).map_err(batch_error).map_err(field_error)
}

/// What to evaluate: a version of a Judge with its active Checkpoint, with the base model, or with a Checkpoint or a
/// backend that you name.
#[derive(InputObject)]
pub(crate) struct EvaluationInput {
    /// The id of the Judge, whose labelled samples are read.
    judge_id: ID,
    /// The version whose questions are asked; by default the newest.
    version: Option<i32>,
    /// The Checkpoint that answers; by default the active one, if there is one.
    checkpoint_id: Option<ID>,
    /// Whether the base model answers, without a Checkpoint.
    #[graphql(default = false)]
    zero_shot: bool,
    /// The backend that answers, as `NAME` or `NAME/model`, at its price.
    backend: Option<String>,
    /// Only labelled samples that match this filter.
    filter: Option<SampleFilterInput>,
    /// Which of these, by what the Checkpoint that answers was trained on. Those that it was trained on flatter it.
    #[graphql(default_with = "EvaluationScope::Unseen")]
    scope: EvaluationScope,
}

impl EvaluationInput {
    pub(crate) fn read(self) -> domain::Result<NewEvaluation> {
        let checkpoint = self.checkpoint_id.as_ref().map(|id| id.as_str());
        let model = evaluated_model(checkpoint, self.zero_shot, self.backend, NAMES)?;
        let filter = self.filter.map(Into::into).unwrap_or_default();
        let scope = self.scope.into();
        Ok(NewEvaluation {
            judge: JudgeId::parse(&self.judge_id)?,
            version: self.version,
            model,
            filter,
            scope,
        })
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

/// Two evaluations of a Judge side by side, on the samples that both answered under the same ground truth, and that
/// neither was trained on.
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
    /// Whether the old one is significantly better.
    worse: bool,
    /// Why the new one is called better, worse or neither.
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
        find_sample(ctx, &self.0.sample).await
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

impl CursorKey for AnswerPosition {
    fn encode(&self) -> String {
        format!("{}:{}", self.seq, self.key)
    }

    fn decode(text: &str) -> Option<Self> {
        let (seq, key) = text.split_once(':')?;
        let seq = seq.parse().ok()?;
        // PostgreSQL has no NUL.
        (!key.contains('\0')).then(|| Self { seq, key: key.to_owned() })
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
    let page = args.page::<AnswerPosition>(&list)?;
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
        worse: verdict.worse,
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
