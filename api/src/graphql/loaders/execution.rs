//! Data loaders: rows that many nodes of an operation need are read in one statement. Each execution has loaders of its
//! own, so nothing is cached beyond it.

mod actors;
mod batches;
mod checkpoints;
mod evaluations;
mod samples;
mod stats;

use std::{collections::HashMap, sync::Arc, time::Duration};

use crate::graphql::byte_budget::ByteBudget;
use actors::Actors;
pub(crate) use actors::KnownActor;
use async_graphql::dataloader::{DataLoader, HashMapCache, Loader};
pub(crate) use batches::Batches;
use checkpoints::{CheckpointCounts, CheckpointDetails, CheckpointPages, Checkpoints};
use domain::{Error, learning::dataset::DatasetOwner, services::Services};
use evaluations::{EvaluationCounts, EvaluationMetrics, EvaluationPages, Evaluations};
use ports::id::{AccountId, DatasetId};
use samples::{Histories, HistoryCounts, Instructions, SampleCounts, SamplePages};
pub(crate) use stats::StatsOf;
use stats::{Agreements, KeyAnswers, Latencies, Thresholds, Volumes};

/// The loaders of one execution.
pub(crate) struct Loaders {
    pub(crate) actors: DataLoader<Actors, HashMapCache>,
    pub(crate) judges: DataLoader<DatasetOwners, HashMapCache>,
    pub(crate) checkpoints: DataLoader<Checkpoints, HashMapCache>,
    pub(crate) checkpoint_details: DataLoader<CheckpointDetails, HashMapCache>,
    pub(crate) checkpoint_pages: DataLoader<CheckpointPages, HashMapCache>,
    pub(crate) checkpoint_counts: Arc<DataLoader<CheckpointCounts, HashMapCache>>,
    pub(crate) evaluations: DataLoader<Evaluations, HashMapCache>,
    pub(crate) evaluation_metrics: DataLoader<EvaluationMetrics, HashMapCache>,
    pub(crate) evaluation_pages: DataLoader<EvaluationPages, HashMapCache>,
    pub(crate) evaluation_counts: Arc<DataLoader<EvaluationCounts, HashMapCache>>,
    pub(crate) sample_pages: DataLoader<SamplePages, HashMapCache>,
    pub(crate) sample_counts: Arc<DataLoader<SampleCounts, HashMapCache>>,
    pub(crate) instructions: DataLoader<Instructions, HashMapCache>,
    pub(crate) histories: DataLoader<Histories, HashMapCache>,
    pub(crate) history_counts: Arc<DataLoader<HistoryCounts, HashMapCache>>,
    pub(crate) volumes: DataLoader<Volumes, HashMapCache>,
    pub(crate) latencies: DataLoader<Latencies, HashMapCache>,
    pub(crate) key_answers: DataLoader<KeyAnswers, HashMapCache>,
    pub(crate) agreements: DataLoader<Agreements, HashMapCache>,
    pub(crate) thresholds: DataLoader<Thresholds, HashMapCache>,
}

impl Loaders {
    /// Loaders of rows of `account`, whose batches run in `batches` and whose rows count towards `budget`.
    pub(crate) fn new(ctx: &Services, account: &AccountId, batches: &Batches, budget: &ByteBudget) -> Self {
        let of = || (ctx.clone(), account.clone());
        Self {
            actors: loader(batches, Actors(of())),
            judges: loader(batches, DatasetOwners(of())),
            checkpoints: loader(batches, Checkpoints(of())),
            checkpoint_details: loader(batches, CheckpointDetails { of: of(), budget: budget.clone() }),
            checkpoint_pages: loader(batches, CheckpointPages(of())),
            checkpoint_counts: Arc::new(loader(batches, CheckpointCounts(of()))),
            evaluations: loader(batches, Evaluations(of())),
            evaluation_metrics: loader(batches, EvaluationMetrics { of: of(), budget: budget.clone() }),
            evaluation_pages: loader(batches, EvaluationPages(of())),
            evaluation_counts: Arc::new(loader(batches, EvaluationCounts(of()))),
            sample_pages: loader(batches, SamplePages { of: of(), budget: budget.clone() }),
            sample_counts: Arc::new(loader(batches, SampleCounts(of()))),
            instructions: loader(batches, Instructions(of())),
            histories: loader(batches, Histories(of())),
            history_counts: Arc::new(loader(batches, HistoryCounts(of()))),
            volumes: loader(batches, Volumes(of())),
            latencies: loader(batches, Latencies(of())),
            key_answers: loader(batches, KeyAnswers(of())),
            agreements: loader(batches, Agreements(of())),
            thresholds: loader(batches, Thresholds(of())),
        }
    }
}

/// A loaded row that must exist.
pub(crate) fn loaded<V>(found: Result<Option<V>, Arc<Error>>) -> domain::Result<V> {
    found.map_err(batch_error)?.ok_or_else(|| Error::internal("what a row refers to is not there"))
}

/// The error of a whole batch, as the error of one field. Its cause is logged.
pub(crate) fn batch_error(error: Arc<Error>) -> Error {
    if let Some(cause) = &error.cause {
        tracing::error!(code = error.code.as_str(), cause, "a batch of rows could not be read");
    }
    Error::new(error.code, error.message.clone())
}

fn loader<K: Send + Sync + Clone + Eq + std::hash::Hash + 'static, L: Loader<K>>(
    batches: &Batches,
    loader: L,
) -> DataLoader<L, HashMapCache> {
    let batches = batches.clone();
    DataLoader::with_cache(loader, move |batch| batches.begin(batch), HashMapCache::default())
        .delay(Duration::ZERO)
}

/// Loads Judges and moderation logs by id.
pub(crate) struct DatasetOwners((Services, AccountId));

impl Loader<DatasetId> for DatasetOwners {
    type Value = DatasetOwner;
    type Error = Arc<Error>;

    async fn load(&self, ids: &[DatasetId]) -> Result<HashMap<DatasetId, Self::Value>, Self::Error> {
        let (ctx, account) = &self.0;
        let owners = ctx.datasets.find_owners(account, ids).await.map_err(Arc::new)?;
        Ok(owners.into_iter().map(|owner| (owner.id(), owner)).collect())
    }
}
