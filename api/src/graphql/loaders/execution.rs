//! The loaders of one execution.

use std::{sync::Arc, time::Duration};

use async_graphql::dataloader::{DataLoader, HashMapCache, Loader};
use domain::services::Services;
use ports::id::AccountId;

use super::{
    actors::Actors,
    batches::Batches,
    checkpoints::{CheckpointCounts, CheckpointDetails, CheckpointPages, Checkpoints},
    dataset_owners::DatasetOwners,
    evaluations::{EvaluationCounts, EvaluationMetrics, EvaluationPages, Evaluations},
    samples::{Histories, HistoryCounts, Instructions, SampleCounts, SamplePages, Samples},
    stats::{Agreements, KeyAnswers, Latencies, Thresholds, Volumes},
};
use crate::graphql::byte_budget::ByteBudget;

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
    pub(crate) samples: DataLoader<Samples, HashMapCache>,
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
        let of = (ctx.clone(), account.clone());
        Self {
            actors: loader(batches, Actors(of.clone())),
            judges: loader(batches, DatasetOwners(of.clone())),
            checkpoints: loader(batches, Checkpoints(of.clone())),
            checkpoint_details: loader(batches, CheckpointDetails { of: of.clone(), budget: budget.clone() }),
            checkpoint_pages: loader(batches, CheckpointPages(of.clone())),
            checkpoint_counts: Arc::new(loader(batches, CheckpointCounts(of.clone()))),
            evaluations: loader(batches, Evaluations(of.clone())),
            evaluation_metrics: loader(batches, EvaluationMetrics { of: of.clone(), budget: budget.clone() }),
            evaluation_pages: loader(batches, EvaluationPages(of.clone())),
            evaluation_counts: Arc::new(loader(batches, EvaluationCounts(of.clone()))),
            samples: loader(batches, Samples { of: of.clone(), budget: budget.clone() }),
            sample_pages: loader(batches, SamplePages { of: of.clone(), budget: budget.clone() }),
            sample_counts: Arc::new(loader(batches, SampleCounts(of.clone()))),
            instructions: loader(batches, Instructions(of.clone())),
            histories: loader(batches, Histories(of.clone())),
            history_counts: Arc::new(loader(batches, HistoryCounts(of.clone()))),
            volumes: loader(batches, Volumes(of.clone())),
            latencies: loader(batches, Latencies(of.clone())),
            key_answers: loader(batches, KeyAnswers(of.clone())),
            agreements: loader(batches, Agreements(of.clone())),
            thresholds: loader(batches, Thresholds(of)),
        }
    }
}

fn loader<K: Send + Sync + Clone + Eq + std::hash::Hash + 'static, L: Loader<K>>(
    batches: &Batches,
    loader: L,
) -> DataLoader<L, HashMapCache> {
    let batches = batches.clone();
    DataLoader::with_cache(loader, move |batch| batches.begin(batch), HashMapCache::default())
        .delay(Duration::ZERO)
}
