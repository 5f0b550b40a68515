//! Checkpoints: their state, their events, and how they compare with the model that was live.

use async_graphql::{Context, Enum, ID, Json, Object, SimpleObject};
use domain::learning::checkpoint::{self, CheckpointFilter, Details};
use ports::id::AccountId;
use serde_json::{Map, Value};

use super::{Actor, Judge, judge::judge_of};
use crate::{
    agreement::CheckpointMetrics,
    graphql::{
        context::{loaders, services},
        date_time::DateTime,
        error::{FieldResult, field_error},
        loaders::loaded,
        pagination::{ListConnection, PageArgs, connection, cost, count_of},
    },
};

pub(crate) struct Checkpoint(pub(crate) checkpoint::Checkpoint);

pub(crate) type CheckpointConnection = ListConnection<Checkpoint>;
pub(crate) type CheckpointEventConnection = ListConnection<CheckpointEvent>;

/// The complexity of metrics and reports: they may have some hundred kilobytes.
const DETAILS_COST: usize = 10;

/// A Judge's own training: a small part of the model, fitted to the ground truths of the Judge's samples.
#[Object]
impl Checkpoint {
    /// The Checkpoint's id, `ckpt_…`.
    pub(crate) async fn id(&self) -> ID {
        ID(self.0.id.to_string())
    }

    /// The Judge that it is trained for.
    async fn judge(&self, ctx: &Context<'_>) -> FieldResult<Judge> {
        judge_of(ctx, &self.0.judge).await
    }

    /// The version of the Judge whose questions it is trained for. Later versions use it for the questions that they
    /// have not changed.
    async fn judge_version(&self) -> i32 {
        self.0.version
    }

    /// Its state.
    async fn state(&self) -> CheckpointState {
        self.0.state.into()
    }

    /// The share of the work that is done, from 0 to 1.
    async fn progress(&self) -> f64 {
        self.0.progress
    }

    /// About how many seconds training still takes, at the speed so far; null unless it is running.
    async fn estimated_seconds_left(&self) -> Option<u32> {
        self.0.seconds_left()
    }

    /// The credits that were held when it was submitted. They are charged if it succeeds, and released otherwise.
    async fn price(&self) -> f64 {
        self.0.price.credits()
    }

    /// Whether it is activated when it is better than what answers now.
    async fn auto_activate(&self) -> bool {
        self.0.auto_activate
    }

    /// Whether it answers for its Judge now.
    async fn is_active(&self, ctx: &Context<'_>) -> FieldResult<bool> {
        let Judge(judge) = judge_of(ctx, &self.0.judge).await?;
        Ok(judge.checkpoint().is_some_and(|active| active.id == self.0.id))
    }

    /// The comparison with the model that was live, on samples that were held out of training; null until it succeeds.
    #[graphql(complexity = "child_complexity + DETAILS_COST")]
    async fn metrics(&self, ctx: &Context<'_>) -> FieldResult<Option<CheckpointMetrics>> {
        Ok(self.details(ctx).await?.metrics.map(CheckpointMetrics::from))
    }

    /// What training tried for each key, what it left out, and why, as a JSON object; null until it succeeds.
    #[graphql(complexity = "DETAILS_COST")]
    async fn report(&self, ctx: &Context<'_>) -> FieldResult<Option<Json<Value>>> {
        let report = self.details(ctx).await?.report;
        Ok(report.and_then(|report| serde_json::to_value(report).ok()).map(Json))
    }

    /// The SHA-256 in hex of what was trained; null until it succeeds.
    async fn artefact(&self) -> Option<&str> {
        self.0.artefact.as_deref()
    }

    /// Why it failed; null otherwise.
    async fn error(&self) -> Option<&str> {
        self.0.error.as_deref()
    }

    /// Remarks on the training, oldest first.
    #[graphql(complexity = "cost(first, last, child_complexity)")]
    async fn events(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Rows from the start, up to 100; 20 if neither `first` nor `last` is given.")]
        first: Option<i32>,
        #[graphql(desc = "Only rows after this cursor.")] after: Option<String>,
        #[graphql(desc = "Rows from the end, up to 100.")] last: Option<i32>,
        #[graphql(desc = "Only rows before this cursor.")] before: Option<String>,
    ) -> FieldResult<CheckpointEventConnection> {
        let checkpoints = services(ctx)?.checkpoints.clone();
        let id = self.0.id.clone();
        let list = format!("checkpoint_events:{id}");
        let page = PageArgs { first, after, last, before }.page::<i64>(&list)?;
        let slice = checkpoints.events(&id, page).await.map_err(field_error)?;
        let count =
            count_of(
                (checkpoints, id),
                |(checkpoints, id)| async move { checkpoints.count_events(&id).await },
            );
        Ok(connection(&list, slice, |event| event.seq, CheckpointEvent::from, count))
    }

    /// Who submitted it.
    async fn created_by(&self) -> Actor {
        Actor(self.0.created_by.clone())
    }

    /// When it was submitted. Only samples and ground truths of before are trained on.
    async fn created_at(&self) -> DateTime {
        self.0.created_at.into()
    }

    /// When its training began; null until then.
    async fn started_at(&self) -> Option<DateTime> {
        self.0.started_at.map(DateTime)
    }

    /// When it succeeded, failed or was cancelled; null until then.
    async fn finished_at(&self) -> Option<DateTime> {
        self.0.finished_at.map(DateTime)
    }

    /// When it was last activated; null if it never was.
    async fn activated_at(&self) -> Option<DateTime> {
        self.0.activated_at.map(DateTime)
    }
}

impl Checkpoint {
    async fn details(&self, ctx: &Context<'_>) -> FieldResult<Details> {
        loaded(loaders(ctx)?.checkpoint_details.load_one(self.0.id.clone()).await).map_err(field_error)
    }
}

/// The state of a Checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum)]
#[graphql(remote = "domain::background::job::JobState")]
pub(crate) enum CheckpointState {
    /// Waits for a worker.
    Queued,
    /// Is trained.
    Running,
    /// Can be activated.
    Succeeded,
    /// Could not be trained; nothing was charged.
    Failed,
    /// Was cancelled; nothing was charged.
    Cancelled,
}

/// A remark on the training of a Checkpoint.
#[derive(SimpleObject)]
pub(crate) struct CheckpointEvent {
    /// When it was made.
    at: DateTime,
    /// Its weight.
    level: CheckpointEventLevel,
    /// The remark, in words.
    message: String,
    /// Its numbers, as a JSON object.
    numbers: Json<Map<String, Value>>,
}

/// The weight of a remark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum)]
#[graphql(remote = "ports::training::Level")]
pub(crate) enum CheckpointEventLevel {
    /// The training goes on as it should.
    Info,
    /// Something was left out or done in another way.
    Warning,
}

impl From<checkpoint::CheckpointEvent> for CheckpointEvent {
    fn from(event: checkpoint::CheckpointEvent) -> Self {
        let level = event.level.into();
        Self { at: event.at.into(), level, message: event.message, numbers: Json(event.numbers) }
    }
}

/// A page of an account's or a Judge's Checkpoints. The pages of many Judges are read together.
pub(super) async fn checkpoints(
    ctx: &Context<'_>,
    account: &AccountId,
    filter: CheckpointFilter,
    args: PageArgs,
) -> FieldResult<CheckpointConnection> {
    let whose = filter.judge.as_ref().map_or(account.as_str(), |judge| judge.as_str());
    let list = format!("checkpoints:{whose}");
    let loaders = loaders(ctx)?;
    let page = args.page::<String>(&list)?;
    let slice =
        loaded(loaders.checkpoint_pages.load_one((filter.clone(), page)).await).map_err(field_error)?;
    let count = count_of((loaders.checkpoint_counts.clone(), filter), |(counts, filter)| async move {
        loaded(counts.load_one(filter).await)
    });
    Ok(connection(&list, slice, |checkpoint| checkpoint.id.to_string(), Checkpoint, count))
}
