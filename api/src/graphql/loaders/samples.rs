//! Loaders of samples: pages of many Judges' lists, their lengths, instructions and histories.

use std::{collections::HashMap, sync::Arc};

use crate::services::Services;
use async_graphql::dataloader::Loader;
use domain::{
    Error, Result,
    dataset::{self, LabelChange, LabelPage, Sample, SamplePage, SampleQuery, VersionKey},
    id::{AccountId, JudgeId},
    page::Slice,
};
use serde_json::Value;

/// Loads pages of samples.
pub(crate) struct SamplePages(pub(super) (Services, AccountId));

impl Loader<SamplePage> for SamplePages {
    type Value = Arc<Slice<Arc<Sample>>>;
    type Error = Arc<Error>;

    async fn load(&self, wanted: &[SamplePage]) -> Result<HashMap<SamplePage, Self::Value>, Self::Error> {
        let (ctx, account) = &self.0;
        keyed(wanted, dataset::pages(&ctx.db, account, wanted).await, |page| {
            let Slice { items, has_previous, has_next } = page;
            Arc::new(Slice { items: items.into_iter().map(Arc::new).collect(), has_previous, has_next })
        })
    }
}

/// Counts the samples of lists.
pub(crate) struct SampleCounts(pub(super) (Services, AccountId));

impl Loader<(JudgeId, SampleQuery)> for SampleCounts {
    type Value = u64;
    type Error = Arc<Error>;

    async fn load(
        &self,
        wanted: &[(JudgeId, SampleQuery)],
    ) -> Result<HashMap<(JudgeId, SampleQuery), u64>, Self::Error> {
        let (ctx, account) = &self.0;
        keyed(wanted, dataset::counts(&ctx.db, account, wanted).await, |count| count)
    }
}

/// Loads the instructions of Judges' versions.
pub(crate) struct Instructions(pub(super) (Services, AccountId));

impl Loader<VersionKey> for Instructions {
    type Value = Arc<Value>;
    type Error = Arc<Error>;

    async fn load(&self, versions: &[VersionKey]) -> Result<HashMap<VersionKey, Self::Value>, Self::Error> {
        let (ctx, account) = &self.0;
        let found = dataset::instructions(&ctx.db, account, versions).await.map_err(Arc::new)?;
        Ok(found.into_iter().map(|(version, instructions)| (version, Arc::new(instructions))).collect())
    }
}

/// Loads pages of samples' histories.
pub(crate) struct Histories(pub(super) (Services, AccountId));

impl Loader<LabelPage> for Histories {
    type Value = Arc<Slice<LabelChange>>;
    type Error = Arc<Error>;

    async fn load(&self, wanted: &[LabelPage]) -> Result<HashMap<LabelPage, Self::Value>, Self::Error> {
        let (ctx, account) = &self.0;
        keyed(wanted, dataset::histories(&ctx.db, account, wanted).await, Arc::new)
    }
}

/// Counts the changes in samples' histories, by the samples' `seq`.
pub(crate) struct HistoryCounts(pub(super) (Services, AccountId));

impl Loader<i64> for HistoryCounts {
    type Value = u64;
    type Error = Arc<Error>;

    async fn load(&self, samples: &[i64]) -> Result<HashMap<i64, u64>, Self::Error> {
        let (ctx, account) = &self.0;
        keyed(samples, dataset::history_counts(&ctx.db, account, samples).await, |count| count)
    }
}

/// Maps each key to its value; `found` has the values in the order of the keys.
fn keyed<K: Clone + Eq + std::hash::Hash, T, V>(
    keys: &[K],
    found: Result<Vec<T>>,
    value: impl Fn(T) -> V,
) -> Result<HashMap<K, V>, Arc<Error>> {
    let found = found.map_err(Arc::new)?;
    Ok(keys.iter().cloned().zip(found.into_iter().map(value)).collect())
}
