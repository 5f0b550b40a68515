//! Statistics of one key of a dataset.

use std::collections::BTreeMap;

use async_graphql::{Context, Object, SimpleObject};
use domain::{
    foundation::round::significant,
    learning::agreement::Labelled,
    learning::dataset::stats::{self, KeyCounts, ThresholdAim, ThresholdQuery},
};

use super::measures::{Agreement, Calibration};
use crate::graphql::{
    context::loaders,
    date_time::Date,
    error::{FieldResult, field_error},
    loaders::{StatsOf, batch_error},
};

pub(crate) struct KeyStats {
    of: StatsOf,
    key: String,
    counts: KeyCounts,
}

/// Statistics of the samples that have one key. Here a sample is labelled if this key has a ground truth, also for the
/// filter `labelled`.
#[Object]
impl KeyStats {
    /// The key.
    async fn key(&self) -> &str {
        &self.key
    }

    /// The number of samples with the key, answered or not.
    async fn count(&self) -> u64 {
        self.counts.count
    }

    /// The number of samples that were answered with one of the question's values. Abstentions, answers in words and
    /// imports without an answer do not count.
    async fn answered(&self) -> u64 {
        self.counts.answered()
    }

    /// The number of samples on which the model abstained.
    async fn abstained(&self) -> u64 {
        self.counts.abstained()
    }

    /// The number of samples with a ground truth for the key.
    async fn labelled(&self, ctx: &Context<'_>) -> FieldResult<u64> {
        Ok(self.with_truth(ctx).await?.count())
    }

    /// How often each value was answered; null stands for abstaining. Values that were never answered are left out.
    async fn answers(&self) -> Vec<AnswerCount> {
        let values = self.counts.values().into_iter();
        values.map(|(value, count)| AnswerCount { value: value.map(str::to_owned), count }).collect()
    }

    /// The same by day, the earliest first.
    async fn days(&self) -> Vec<AnswerDayCount> {
        let days = self.counts.days.iter();
        days.map(|((day, value), count)| AnswerDayCount {
            day: Date(*day),
            value: value.clone(),
            count: *count,
        })
        .collect()
    }

    /// The agreement of the answers with the ground truth.
    async fn agreement(&self, ctx: &Context<'_>) -> FieldResult<Agreement> {
        Ok(self.with_truth(ctx).await?.agreement().into())
    }

    /// The calibration of the probabilities.
    async fn calibration(&self, ctx: &Context<'_>) -> FieldResult<Calibration> {
        Ok(self.with_truth(ctx).await?.calibration().into())
    }

    /// A threshold for the rule "the answer is `value` if its probability is at least the threshold", computed from the
    /// labelled samples for which `value` is a possible answer. Give one of `precision`, `recall` and `falseAlarms`.
    /// Null if no threshold reaches it.
    async fn threshold(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "One of the question's values.")] value: String,
        #[graphql(
            desc = "The precision that the rule must reach, above 0 and up to 1. Of all such thresholds the lowest is \
                    returned, which has the highest recall."
        )]
        precision: Option<f64>,
        #[graphql(
            desc = "The recall that the rule must reach, above 0 and up to 1. Of all such thresholds the one with the \
                    highest precision is returned, and of several such ones the highest."
        )]
        recall: Option<f64>,
        #[graphql(
            desc = "The share of the samples with another ground truth that the rule may answer, above 0 and up \
                    to 1. Of all such thresholds the lowest is returned, which has the highest recall."
        )]
        false_alarms: Option<f64>,
    ) -> FieldResult<Option<Threshold>> {
        let aim = ThresholdAim::of(precision, recall, false_alarms).map_err(field_error)?;
        let (dataset, filter) = self.of.clone();
        let asked = ThresholdQuery { dataset, key: self.key.clone(), value, aim };
        let found = loaders(ctx)?.thresholds.load_one((filter, asked)).await;
        Ok(found.map_err(|error| field_error(batch_error(error)))?.map(Threshold::from))
    }
}

impl KeyStats {
    /// The statistics of one of the keys in `counts`.
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

/// How often a value was answered.
#[derive(SimpleObject)]
pub(crate) struct AnswerCount {
    /// The value; null for abstaining.
    value: Option<String>,
    /// How often it was answered.
    count: u64,
}

/// How often a value was answered on one day.
#[derive(SimpleObject)]
pub(crate) struct AnswerDayCount {
    /// The day, from midnight to midnight UTC.
    day: Date,
    /// The value; null for abstaining.
    value: Option<String>,
    /// How often it was answered.
    count: u64,
}

/// A threshold of a value's probability, and how the rule does on the labelled samples.
#[derive(SimpleObject)]
pub(crate) struct Threshold {
    /// The lowest probability at which the rule answers the value.
    probability: f64,
    /// The share of the rule's answers that are true.
    precision: f64,
    /// The share of the true samples that the rule answers.
    recall: f64,
    /// The number of samples that the threshold was computed from.
    count: u64,
    /// The number of these samples whose ground truth is the value.
    support: u64,
    /// The number of these samples that the rule answers.
    answered: u64,
}

impl From<stats::Threshold> for Threshold {
    fn from(found: stats::Threshold) -> Self {
        Self {
            probability: found.probability,
            precision: significant(found.precision()),
            recall: significant(found.recall()),
            count: found.count,
            support: found.support,
            answered: found.answered,
        }
    }
}
