//! What a Judge's dataset comes to. Each part is read when it is asked for, for all Judges of an operation together.

mod key;
mod measures;

use std::sync::Arc;

use async_graphql::{Context, Object, SimpleObject};
use chrono::NaiveDate;
use domain::dataset::stats::{Latency, Volume};
use key::KeyStats;

use crate::graphql::{
    context::loaders,
    error::{FieldResult, field_error},
    loaders::{StatsOf, batch_error},
};

/// Figures over a Judge's samples, computed by the database when they are asked for.
pub(crate) struct JudgeStats(pub(crate) StatsOf);

/// Figures over a Judge's samples, computed by the database when they are asked for.
#[Object]
impl JudgeStats {
    /// How many samples.
    async fn count(&self, ctx: &Context<'_>) -> FieldResult<u64> {
        Ok(self.volume(ctx).await?.count())
    }

    /// How many of them have a ground truth for at least one key.
    async fn labelled(&self, ctx: &Context<'_>) -> FieldResult<u64> {
        Ok(self.volume(ctx).await?.labelled())
    }

    /// Credits spent on them; imports cost nothing.
    async fn credits(&self, ctx: &Context<'_>) -> FieldResult<f64> {
        Ok(self.volume(ctx).await?.credits().credits())
    }

    /// The same by day, the earliest first; days without samples are left out.
    async fn days(&self, ctx: &Context<'_>) -> FieldResult<Vec<DayStats>> {
        Ok(self.volume(ctx).await?.days.iter().map(DayStats::from).collect())
    }

    /// How long answering took; null when no sample tells, as with imports.
    async fn latency(&self, ctx: &Context<'_>) -> FieldResult<Option<LatencyStats>> {
        let found = loaders(ctx)?.latencies.load_one(self.0.clone()).await;
        let found = found.map_err(|error| field_error(batch_error(error)))?;
        Ok(found.map(|latency| LatencyStats::from(latency.as_ref())))
    }

    /// The keys that any of the samples has, by name.
    async fn keys(&self, ctx: &Context<'_>) -> FieldResult<Vec<KeyStats>> {
        let found = loaders(ctx)?.key_answers.load_one(self.0.clone()).await;
        let counts = found.map_err(|error| field_error(batch_error(error)))?.unwrap_or_default();
        Ok(counts.keys().map(|key| KeyStats::new(&self.0, key, &counts)).collect())
    }

    /// One key; null when none of the samples has it.
    async fn key(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Of an instruction.")] key: String,
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

/// What came in on one day.
#[derive(SimpleObject)]
pub(crate) struct DayStats {
    /// The day, from midnight to midnight UTC.
    day: NaiveDate,
    /// How many samples.
    count: u64,
    /// How many of them have a ground truth for at least one key.
    labelled: u64,
    /// Credits spent on them.
    credits: f64,
}

impl From<&domain::dataset::stats::Day> for DayStats {
    fn from(day: &domain::dataset::stats::Day) -> Self {
        Self { day: day.day, count: day.count, labelled: day.labelled, credits: day.credits.credits() }
    }
}

/// How long answering took, in milliseconds, over the samples that tell. A percentile is the nearest rank: of n latencies in order,
/// the one at place ⌈p n / 100⌉, so always one that occurred.
#[derive(SimpleObject)]
pub(crate) struct LatencyStats {
    /// How many samples tell.
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
    /// The longest.
    max: f64,
}

impl From<&Latency> for LatencyStats {
    fn from(latency: &Latency) -> Self {
        let Latency { count, mean, p50, p90, p95, p99, max } = *latency;
        Self { count, mean, p50, p90, p95, p99, max }
    }
}
