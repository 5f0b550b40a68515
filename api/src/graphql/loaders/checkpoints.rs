//! Loaders of Checkpoints: by id, their details, and pages of many Judges' lists.

use std::{collections::HashMap, sync::Arc};

use async_graphql::dataloader::Loader;
use domain::{
    Error,
    foundation::page::{Page, Slice},
    learning::checkpoint::{Checkpoint, CheckpointFilter, Details},
    services::Services,
};
use ports::id::{AccountId, CheckpointId};

use super::samples::keyed;
use crate::graphql::byte_budget::ByteBudget;

/// Loads Checkpoints by id.
pub(crate) struct Checkpoints(pub(super) (Services, AccountId));

impl Loader<CheckpointId> for Checkpoints {
    type Value = Checkpoint;
    type Error = Arc<Error>;

    async fn load(&self, ids: &[CheckpointId]) -> Result<HashMap<CheckpointId, Checkpoint>, Self::Error> {
        let (ctx, account) = &self.0;
        let found = ctx.checkpoints.find_many(account, ids).await.map_err(Arc::new)?;
        Ok(found.into_iter().map(|checkpoint| (checkpoint.id.clone(), checkpoint)).collect())
    }
}

/// Loads the details of Checkpoints. Their bytes are reserved before they are read.
pub(crate) struct CheckpointDetails {
    pub(super) of: (Services, AccountId),
    pub(super) budget: ByteBudget,
}

impl Loader<CheckpointId> for CheckpointDetails {
    type Value = Details;
    type Error = Arc<Error>;

    async fn load(&self, ids: &[CheckpointId]) -> Result<HashMap<CheckpointId, Details>, Self::Error> {
        let (ctx, account) = &self.of;
        let bytes = ctx.checkpoints.details_bytes(account, ids).await.map_err(Arc::new)?;
        // As rows and as figures.
        self.budget.reserve(bytes.saturating_mul(2)).await.map_err(Arc::new)?;
        ctx.checkpoints.details(account, ids).await.map_err(Arc::new)
    }
}

/// Loads pages of lists of Checkpoints.
pub(crate) struct CheckpointPages(pub(super) (Services, AccountId));

impl Loader<(CheckpointFilter, Page<String>)> for CheckpointPages {
    type Value = Slice<Checkpoint>;
    type Error = Arc<Error>;

    async fn load(
        &self,
        wanted: &[(CheckpointFilter, Page<String>)],
    ) -> Result<HashMap<(CheckpointFilter, Page<String>), Self::Value>, Self::Error> {
        let (ctx, account) = &self.0;
        keyed(wanted, ctx.checkpoints.pages(account, wanted).await, |slice| slice)
    }
}

/// Counts the Checkpoints of lists.
pub(crate) struct CheckpointCounts(pub(super) (Services, AccountId));

impl Loader<CheckpointFilter> for CheckpointCounts {
    type Value = u64;
    type Error = Arc<Error>;

    async fn load(&self, wanted: &[CheckpointFilter]) -> Result<HashMap<CheckpointFilter, u64>, Self::Error> {
        let (ctx, account) = &self.0;
        keyed(wanted, ctx.checkpoints.counts(account, wanted).await, |count| count)
    }
}
