//! The datasets of all accounts, and their owners.

use entity::judge_version;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};

use crate::{
    Result,
    foundation::database::Database,
    learning::owner::{DatasetOwner, JudgeVersion, find_owner, find_owners, read_version},
};
use ports::id::{AccountId, DatasetId};

/// The datasets of all accounts: of Judges and of moderation logs. Cheap to clone.
#[derive(Clone)]
pub struct Datasets {
    pub(super) db: Database,
}

impl Datasets {
    pub fn new(db: Database) -> Self {
        Self { db }
    }

    /// Reads the owner of a dataset.
    ///
    /// # Errors
    /// `NOT_FOUND` without it, with the same message for a dataset of another account.
    pub async fn find_owner(&self, account: &AccountId, id: &DatasetId) -> Result<DatasetOwner> {
        find_owner(&self.db, account, id).await
    }

    /// Reads the owners of datasets of an account; ids that do not exist are left out.
    pub async fn find_owners(&self, account: &AccountId, ids: &[DatasetId]) -> Result<Vec<DatasetOwner>> {
        find_owners(&self.db, account, ids).await
    }

    /// Reads all versions of what the owner of a dataset asks, newest first.
    ///
    /// # Errors
    /// `NOT_FOUND` without such a dataset.
    pub async fn list_versions(&self, account: &AccountId, id: &DatasetId) -> Result<Vec<JudgeVersion>> {
        self.find_owner(account, id).await?;
        let rows = judge_version::Entity::find().filter(judge_version::Column::JudgeId.eq(id.as_str()));
        let mut rows = rows.all(self.db.read()).await?;
        rows.sort_unstable_by_key(|row| -row.version);
        rows.into_iter().map(read_version).collect()
    }
}
