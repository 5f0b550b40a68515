//! Loaders of evaluation runs: by id, their metrics, and pages of many Judges' lists.

use std::{collections::HashMap, sync::Arc};

use async_graphql::dataloader::Loader;
use domain::{
    Error,
    foundation::page::{Page, Slice},
    learning::evaluation::{self, Evaluation, EvaluationFilter},
    services::Services,
};
use ports::id::{AccountId, EvaluationId};

use super::samples::keyed;
use crate::graphql::byte_budget::ByteBudget;

/// Loads evaluations by id.
pub(crate) struct Evaluations(pub(super) (Services, AccountId));

impl Loader<EvaluationId> for Evaluations {
    type Value = Evaluation;
    type Error = Arc<Error>;

    async fn load(&self, ids: &[EvaluationId]) -> Result<HashMap<EvaluationId, Evaluation>, Self::Error> {
        let (ctx, account) = &self.0;
        let found = ctx.evaluations.find_many(account, ids).await.map_err(Arc::new)?;
        Ok(found.into_iter().map(|evaluation| (evaluation.id.clone(), evaluation)).collect())
    }
}

/// Loads the metrics of evaluations. Their bytes are reserved before they are read.
pub(crate) struct EvaluationMetrics {
    pub(super) of: (Services, AccountId),
    pub(super) budget: ByteBudget,
}

impl Loader<EvaluationId> for EvaluationMetrics {
    type Value = evaluation::EvaluationMetrics;
    type Error = Arc<Error>;

    async fn load(&self, ids: &[EvaluationId]) -> Result<HashMap<EvaluationId, Self::Value>, Self::Error> {
        let (ctx, account) = &self.of;
        let bytes = ctx.evaluations.metrics_bytes(account, ids).await.map_err(Arc::new)?;
        // As rows and as figures.
        self.budget.reserve(bytes.saturating_mul(2)).await.map_err(Arc::new)?;
        ctx.evaluations.metrics(account, ids).await.map_err(Arc::new)
    }
}

/// Loads pages of lists of evaluations.
pub(crate) struct EvaluationPages(pub(super) (Services, AccountId));

impl Loader<(EvaluationFilter, Page<String>)> for EvaluationPages {
    type Value = Slice<Evaluation>;
    type Error = Arc<Error>;

    async fn load(
        &self,
        wanted: &[(EvaluationFilter, Page<String>)],
    ) -> Result<HashMap<(EvaluationFilter, Page<String>), Self::Value>, Self::Error> {
        let (ctx, account) = &self.0;
        keyed(wanted, ctx.evaluations.pages(account, wanted).await, |slice| slice)
    }
}

/// Counts the evaluations of lists.
pub(crate) struct EvaluationCounts(pub(super) (Services, AccountId));

impl Loader<EvaluationFilter> for EvaluationCounts {
    type Value = u64;
    type Error = Arc<Error>;

    async fn load(&self, wanted: &[EvaluationFilter]) -> Result<HashMap<EvaluationFilter, u64>, Self::Error> {
        let (ctx, account) = &self.0;
        keyed(wanted, ctx.evaluations.counts(account, wanted).await, |count| count)
    }
}
