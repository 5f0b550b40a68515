//! Loads the owners of datasets: Judges and moderation logs.

use std::{collections::HashMap, sync::Arc};

use async_graphql::dataloader::Loader;
use domain::{Error, learning::dataset::DatasetOwner, services::Services};
use ports::id::{AccountId, DatasetId};

/// Loads Judges and moderation logs by id.
pub(crate) struct DatasetOwners(pub(super) (Services, AccountId));

impl Loader<DatasetId> for DatasetOwners {
    type Value = DatasetOwner;
    type Error = Arc<Error>;

    async fn load(&self, ids: &[DatasetId]) -> Result<HashMap<DatasetId, Self::Value>, Self::Error> {
        let (ctx, account) = &self.0;
        let owners = ctx.datasets.find_owners(account, ids).await.map_err(Arc::new)?;
        Ok(owners.into_iter().map(|owner| (owner.id(), owner)).collect())
    }
}
