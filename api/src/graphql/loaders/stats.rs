//! Loaders of statistics: each part of many datasets' statistics is read in one statement for each filter, and only if
//! it is selected.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use async_graphql::dataloader::Loader;
use domain::services::Services;
use domain::{
    Error,
    learning::{
        agreement::Labelled,
        dataset::{
            SampleFilter,
            stats::{KeyCounts, Latency, Threshold, ThresholdQuery, Volume},
        },
    },
};
use ports::id::{AccountId, DatasetId};

/// A dataset, and the filter of the samples that its statistics are over.
pub(crate) type StatsOf = (DatasetId, SampleFilter);

macro_rules! parts {
    ($($(#[$doc:meta])* $loader:ident: $read:ident -> $part:ty;)*) => {$(
        $(#[$doc])*
        pub(crate) struct $loader(pub(super) (Services, AccountId));

        impl Loader<StatsOf> for $loader {
            type Value = Arc<$part>;
            type Error = Arc<Error>;

            async fn load(&self, wanted: &[StatsOf]) -> Result<HashMap<StatsOf, Self::Value>, Self::Error> {
                let (ctx, account) = &self.0;
                let mut found = HashMap::with_capacity(wanted.len());
                let wanted = wanted.iter().map(|(dataset, filter)| (filter, dataset.clone()));
                for (filter, datasets) in grouped(wanted) {
                    let parts = ctx.statistics.$read(account, &datasets, filter).await.map_err(Arc::new)?;
                    found.extend(
                        parts.into_iter().map(|(dataset, part)| ((dataset, filter.clone()), Arc::new(part))),
                    );
                }
                Ok(found)
            }
        }
    )*};
}

parts! {
    /// Loads counts and credits by day.
    Volumes: volumes -> Volume;
    /// Loads latencies.
    Latencies: latencies -> Latency;
    /// Loads the counts of answers by key.
    KeyAnswers: answers -> BTreeMap<String, KeyCounts>;
    /// Loads the counts of answers with their ground truth, by key.
    Agreements: agreements -> BTreeMap<String, Labelled>;
}

/// Loads thresholds. A threshold that does not exist is left out.
pub(crate) struct Thresholds(pub(super) (Services, AccountId));

impl Loader<(SampleFilter, ThresholdQuery)> for Thresholds {
    type Value = Threshold;
    type Error = Arc<Error>;

    async fn load(
        &self,
        wanted: &[(SampleFilter, ThresholdQuery)],
    ) -> Result<HashMap<(SampleFilter, ThresholdQuery), Threshold>, Self::Error> {
        let (ctx, account) = &self.0;
        let mut found = HashMap::with_capacity(wanted.len());
        for (filter, asked) in grouped(wanted.iter().map(|(filter, asked)| (filter, asked.clone()))) {
            let thresholds = ctx.statistics.thresholds(account, filter, &asked).await.map_err(Arc::new)?;
            let reached = asked.into_iter().zip(thresholds);
            found
                .extend(reached.filter_map(|(asked, threshold)| Some(((filter.clone(), asked), threshold?))));
        }
        Ok(found)
    }
}

/// Groups by filter.
fn grouped<'a, T>(wanted: impl Iterator<Item = (&'a SampleFilter, T)>) -> HashMap<&'a SampleFilter, Vec<T>> {
    let mut groups: HashMap<&SampleFilter, Vec<T>> = HashMap::new();
    for (filter, one) in wanted {
        groups.entry(filter).or_default().push(one);
    }
    groups
}
