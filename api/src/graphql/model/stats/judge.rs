//! Statistics of all samples of a Judge.

use std::sync::Arc;

use async_graphql::{Context, Object, SimpleObject};
use domain::{
    foundation::round::significant,
    learning::dataset::stats::{DayVolume, Latency, Volume},
};

use super::key::KeyStats;
use crate::graphql::{
    context::loaders,
    date_time::Date,
    error::{FieldResult, field_error},
    loaders::{StatsOf, batch_error},
};

pub(crate) struct JudgeStats(pub(crate) StatsOf);

/// Statistics of a Judge's samples, computed by the database when they are selected.
#[Object]
impl JudgeStats {
    /// The number of samples.
    async fn count(&self, ctx: &Context<'_>) -> FieldResult<u64> {
        Ok(self.volume(ctx).await?.count())
    }

    /// The number of samples with a ground truth for at least one key.
    async fn labelled(&self, ctx: &Context<'_>) -> FieldResult<u64> {
        Ok(self.volume(ctx).await?.labelled())
    }

    /// The credits spent on the samples; imports cost nothing.
    async fn credits(&self, ctx: &Context<'_>) -> FieldResult<f64> {
        Ok(self.volume(ctx).await?.credits().credits())
    }

    /// The same figures by day, the earliest first. Days without samples are left out.
    async fn days(&self, ctx: &Context<'_>) -> FieldResult<Vec<DayStats>> {
        Ok(self.volume(ctx).await?.days.iter().map(DayStats::from).collect())
    }

    /// The latency of the answers; null if no sample has a latency, as with imports.
    async fn latency(&self, ctx: &Context<'_>) -> FieldResult<Option<LatencyStats>> {
        let found = loaders(ctx)?.latencies.load_one(self.0.clone()).await;
        let found = found.map_err(|error| field_error(batch_error(error)))?;
        Ok(found.map(|latency| LatencyStats::from(latency.as_ref())))
    }

    /// The keys of the samples, in the order of their names.
    async fn keys(&self, ctx: &Context<'_>) -> FieldResult<Vec<KeyStats>> {
        let found = loaders(ctx)?.key_answers.load_one(self.0.clone()).await;
        let counts = found.map_err(|error| field_error(batch_error(error)))?.unwrap_or_default();
        Ok(counts.keys().map(|key| KeyStats::new(&self.0, key, &counts)).collect())
    }

    /// The statistics of one key; null if no sample has it.
    async fn key(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The key.")] key: String,
    ) -> FieldResult<Option<KeyStats>> {
        let found = loaders(ctx)?.key_answers.load_one(self.0.clone()).await;
        let counts = found.map_err(|error| field_error(batch_error(error)))?.unwrap_or_default();
        Ok(counts.contains_key(&key).then(|| KeyStats::new(&self.0, &key, &counts)))
    }
}

impl JudgeStats {
    async fn volume(&self, ctx: &Context<'_>) -> FieldResult<Arc<Volume>> {
        let found = loaders(ctx)?.volumes.load_one(self.0.clone()).await;
        Ok(found.map_err(|error| field_error(batch_error(error)))?.unwrap_or_default())
    }
}

/// The samples of one day.
#[derive(SimpleObject)]
pub(crate) struct DayStats {
    /// The day, from midnight to midnight UTC.
    day: Date,
    /// The number of samples.
    count: u64,
    /// The number of samples with a ground truth for at least one key.
    labelled: u64,
    /// The credits spent on the samples.
    credits: f64,
}

impl From<&DayVolume> for DayStats {
    fn from(day: &DayVolume) -> Self {
        Self { day: Date(day.day), count: day.count, labelled: day.labelled, credits: day.credits.credits() }
    }
}

/// The latency of the answers in milliseconds, over the samples that have one. Percentiles are nearest ranks: of n
/// latencies in order, the one with the number ⌈p n / 100⌉, which always occurred.
#[derive(SimpleObject)]
pub(crate) struct LatencyStats {
    /// The number of samples with a latency.
    count: u64,
    /// The arithmetic mean.
    mean: f64,
    /// The median.
    p50: f64,
    /// The 90th percentile.
    p90: f64,
    /// The 95th percentile.
    p95: f64,
    /// The 99th percentile.
    p99: f64,
    /// The longest latency.
    max: f64,
}

impl From<&Latency> for LatencyStats {
    fn from(latency: &Latency) -> Self {
        let Latency { count, mean, p50, p90, p95, p99, max } = *latency;
        Self { count, mean: significant(mean), p50, p90, p95, p99, max }
    }
}
