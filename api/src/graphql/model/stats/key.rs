//! What a dataset comes to under one key.

use std::collections::BTreeMap;

use async_graphql::{Context, Object, SimpleObject};
use chrono::NaiveDate;
use domain::dataset::stats::{self, Aim, KeyCounts, Labelled, ThresholdAsked};

use super::measures::{Agreement, Calibration};
use crate::graphql::{
    context::loaders,
    error::{FieldResult, field_error},
    loaders::{StatsOf, batch_error},
};

/// Figures over the samples that have one key. Here a sample counts as labelled when this key has a ground truth, and the filter
/// `labelled` goes by that too.
pub(crate) struct KeyStats {
    of: StatsOf,
    key: String,
    counts: KeyCounts,
}

/// Figures over the samples that have one key. Here a sample counts as labelled when this key has a ground truth, and the filter
/// `labelled` goes by that too.
#[Object]
impl KeyStats {
    /// The instruction's key.
    async fn key(&self) -> &str {
        &self.key
    }

    /// How many samples have the key, answered or not.
    async fn count(&self) -> u64 {
        self.counts.count
    }

    /// How many were answered with one of the question's values. Abstentions, answers in words, and imports without an answer are
    /// not among them.
    async fn answered(&self) -> u64 {
        self.counts.answered()
    }

    /// On how many the model abstained.
    async fn abstained(&self) -> u64 {
        self.counts.abstained()
    }

    /// How many have a ground truth for the key.
    async fn labelled(&self, ctx: &Context<'_>) -> FieldResult<u64> {
        Ok(self.with_truth(ctx).await?.count())
    }

    /// How often each value was answered; null stands for abstaining. Values that never were are left out.
    async fn answers(&self) -> Vec<AnswerCount> {
        let values = self.counts.values().into_iter();
        values.map(|(value, count)| AnswerCount { value: value.map(str::to_owned), count }).collect()
    }

    /// The same by day, the earliest first.
    async fn days(&self) -> Vec<AnswerDayCount> {
        let days = self.counts.days.iter();
        days.map(|((day, value), count)| AnswerDayCount { day: *day, value: value.clone(), count: *count })
            .collect()
    }

    /// How far the answers agree with ground truth.
    async fn agreement(&self, ctx: &Context<'_>) -> FieldResult<Agreement> {
        Ok(self.with_truth(ctx).await?.agreement().into())
    }

    /// Whether what is said to be probable happens as often.
    async fn calibration(&self, ctx: &Context<'_>) -> FieldResult<Calibration> {
        Ok(self.with_truth(ctx).await?.calibration().into())
    }

    /// A threshold for the rule "the answer is `value` when its probability is at least the threshold", from the labelled samples
    /// for which `value` could be answered. Give either `precision` or `recall`. Null when no threshold reaches it.
    async fn threshold(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "One of the question's values.")] value: String,
        #[graphql(
            desc = "At least this share of what the rule answers is true; above 0, up to 1. Of all such thresholds the lowest, \
                    which finds most."
        )]
        precision: Option<f64>,
        #[graphql(
            desc = "At least this share of what is true is answered by the rule; above 0, up to 1. Of all such thresholds the \
                    one with the best precision, and of equal ones the highest."
        )]
        recall: Option<f64>,
    ) -> FieldResult<Option<Threshold>> {
        let aim = Aim::of(precision, recall).map_err(field_error)?;
        let (judge, filter) = self.of.clone();
        let asked = ThresholdAsked { judge, key: self.key.clone(), value, aim };
        let found = loaders(ctx)?.thresholds.load_one((filter, asked)).await;
        Ok(found.map_err(|error| field_error(batch_error(error)))?.map(Threshold::from))
    }
}

impl KeyStats {
    /// Those of one of the keys in `counts`.
    pub(super) fn new(of: &StatsOf, key: &str, counts: &BTreeMap<String, KeyCounts>) -> Self {
        Self { of: of.clone(), key: key.to_owned(), counts: counts.get(key).cloned().unwrap_or_default() }
    }

    /// The labelled samples.
    async fn with_truth(&self, ctx: &Context<'_>) -> FieldResult<Labelled> {
        let found = loaders(ctx)?.agreements.load_one(self.of.clone()).await;
        let found = found.map_err(|error| field_error(batch_error(error)))?;
        Ok(found.and_then(|keys| keys.get(&self.key).cloned()).unwrap_or_default())
    }
}

/// How often something was answered.
#[derive(SimpleObject)]
pub(crate) struct AnswerCount {
    /// The value; null for abstaining.
    value: Option<String>,
    /// How often.
    count: u64,
}

/// How often something was answered on one day.
#[derive(SimpleObject)]
pub(crate) struct AnswerDayCount {
    /// The day, from midnight to midnight UTC.
    day: NaiveDate,
    /// The value; null for abstaining.
    value: Option<String>,
    /// How often.
    count: u64,
}

/// From which probability on a value should be answered, and what that comes to on the labelled samples.
#[derive(SimpleObject)]
pub(crate) struct Threshold {
    /// The least probability that is enough.
    probability: f64,
    /// The share of what the rule answers that is true.
    precision: f64,
    /// The share of what is true that the rule answers.
    recall: f64,
    /// How many samples that rests on.
    count: u64,
    /// On how many of them the value is true.
    support: u64,
    /// How many of them the rule answers.
    answered: u64,
}

impl From<stats::Threshold> for Threshold {
    fn from(found: stats::Threshold) -> Self {
        Self {
            probability: found.probability,
            precision: found.precision(),
            recall: found.recall(),
            count: found.count,
            support: found.support,
            answered: found.answered,
        }
    }
}
