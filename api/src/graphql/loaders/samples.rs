//! Loaders of samples: by id, pages of many lists, their lengths, instructions and histories.

use std::{collections::HashMap, sync::Arc};

use crate::graphql::byte_budget::ByteBudget;
use async_graphql::dataloader::Loader;
use domain::{
    Error, Result,
    foundation::page::Slice,
    learning::dataset::{LabelChange, LabelPage, Sample, SampleAnswer, SamplePage, SampleQuery, VersionKey},
    services::Services,
};
use ports::id::{AccountId, DatasetId, SampleId};
use serde_json::Value;

/// Loads samples. Their bytes are reserved before they are read.
pub(crate) struct Samples {
    pub(super) of: (Services, AccountId),
    pub(super) budget: ByteBudget,
}

impl Loader<SampleId> for Samples {
    type Value = Arc<Sample>;
    type Error = Arc<Error>;

    async fn load(&self, ids: &[SampleId]) -> Result<HashMap<SampleId, Self::Value>, Self::Error> {
        let (ctx, account) = &self.of;
        let bytes = ctx.datasets.bytes(account, ids).await.map_err(Arc::new)?;
        // As rows and parsed.
        self.budget.reserve(bytes.saturating_mul(2)).await.map_err(Arc::new)?;
        let found = ctx.datasets.find_many(account, ids).await.map_err(Arc::new)?;
        Ok(found.into_iter().map(|sample| (sample.id.clone(), Arc::new(sample))).collect())
    }
}

/// Loads pages of samples. Their bytes are reserved before they are read.
pub(crate) struct SamplePages {
    pub(super) of: (Services, AccountId),
    pub(super) budget: ByteBudget,
}

impl Loader<SamplePage> for SamplePages {
    type Value = Arc<Slice<Arc<Sample>>>;
    type Error = Arc<Error>;

    async fn load(&self, wanted: &[SamplePage]) -> Result<HashMap<SamplePage, Self::Value>, Self::Error> {
        keyed(wanted, self.read(wanted).await, Arc::new)
    }
}

impl SamplePages {
    async fn read(&self, wanted: &[SamplePage]) -> Result<Vec<Slice<Arc<Sample>>>> {
        let (ctx, account) = &self.of;
        let mut found = ctx.datasets.find_pages(account, wanted).await?;
        while let Some(bytes) = found.next_bytes() {
            self.budget.reserve(bytes).await?;
            let read = found.read_next().await?;
            // Small numbers take more room than in the database.
            let parsed: usize = read.iter().map(|sample| sample_size(sample)).sum();
            self.budget.reserve(parsed.saturating_sub(bytes)).await?;
        }
        Ok(found.slices(wanted))
    }
}

/// Roughly the bytes that a sample takes in memory.
fn sample_size(sample: &Sample) -> usize {
    let own = size_of::<Sample>() + json_size(&sample.state);
    let answers: usize = sample.answers.iter().map(answer_size).sum();
    own + sample.instructions.as_ref().map_or(0, json_size) + answers
}

fn answer_size(answer: &SampleAnswer) -> usize {
    let probabilities = answer.probabilities.iter().flat_map(|of| of.iter());
    let probabilities: usize = probabilities.map(|(value, of)| value.len() + json_size(of)).sum();
    size_of::<SampleAnswer>() + answer.answer.as_ref().map_or(0, json_size) + probabilities
}

fn json_size(value: &Value) -> usize {
    let below = match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(json_size).sum(),
        Value::Object(members) => {
            members.iter().map(|(name, value)| 2 * name.len() + 24 + json_size(value)).sum()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    };
    size_of::<Value>() + below
}

/// Counts the samples of lists.
pub(crate) struct SampleCounts(pub(super) (Services, AccountId));

impl Loader<(DatasetId, SampleQuery)> for SampleCounts {
    type Value = u64;
    type Error = Arc<Error>;

    async fn load(
        &self,
        wanted: &[(DatasetId, SampleQuery)],
    ) -> Result<HashMap<(DatasetId, SampleQuery), u64>, Self::Error> {
        let (ctx, account) = &self.0;
        keyed(wanted, ctx.datasets.count(account, wanted).await, |count| count)
    }
}

/// Loads the instructions of versions.
pub(crate) struct Instructions(pub(super) (Services, AccountId));

impl Loader<VersionKey> for Instructions {
    type Value = Arc<Value>;
    type Error = Arc<Error>;

    async fn load(&self, versions: &[VersionKey]) -> Result<HashMap<VersionKey, Self::Value>, Self::Error> {
        let (ctx, account) = &self.0;
        let found = ctx.datasets.list_instructions(account, versions).await.map_err(Arc::new)?;
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
        keyed(wanted, ctx.datasets.list_histories(account, wanted).await, Arc::new)
    }
}

/// Counts the changes in samples' histories, by the samples' `seq`.
pub(crate) struct HistoryCounts(pub(super) (Services, AccountId));

impl Loader<i64> for HistoryCounts {
    type Value = u64;
    type Error = Arc<Error>;

    async fn load(&self, samples: &[i64]) -> Result<HashMap<i64, u64>, Self::Error> {
        let (ctx, account) = &self.0;
        keyed(samples, ctx.datasets.count_histories(account, samples).await, |count| count)
    }
}

/// Maps each key to its value; `found` has the values in the order of the keys.
pub(super) fn keyed<K: Clone + Eq + std::hash::Hash, T, V>(
    keys: &[K],
    found: Result<Vec<T>>,
    value: impl Fn(T) -> V,
) -> Result<HashMap<K, V>, Arc<Error>> {
    let found = found.map_err(Arc::new)?;
    Ok(keys.iter().cloned().zip(found.into_iter().map(value)).collect())
}
