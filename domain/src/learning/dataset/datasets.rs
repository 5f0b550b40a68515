//! The datasets of all accounts, and their owners.

use entity::judge_version;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, sea_query::Expr};

use crate::{
    Result,
    foundation::database::Database,
    learning::owner::{DatasetOwner, JudgeVersion, find_owner, find_owners, read_version},
};
use ports::id::{AccountId, DatasetId};

/// The most versions that are read at once.
pub const MAX_VERSIONS: u32 = 100;
/// Bytes of versions that are read at once, unless one has more.
const VERSION_BYTES: i64 = 4 * 1024 * 1024;

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

    /// Reads the newest versions of what the owner of a dataset asks, newest first: at most [`MAX_VERSIONS`], and fewer
    /// where they are large. `before`: only those below this number.
    ///
    /// # Errors
    /// `NOT_FOUND` without such a dataset.
    pub async fn list_versions(
        &self,
        account: &AccountId,
        id: &DatasetId,
        before: Option<i32>,
    ) -> Result<Vec<JudgeVersion>> {
        use judge_version::Column;
        self.find_owner(account, id).await?;
        let bytes = "CAST(OCTET_LENGTH(instructions) + OCTET_LENGTH(parameters) AS BIGINT)";
        let newest = judge_version::Entity::find()
            .select_only()
            .column(Column::Version)
            .expr_as(Expr::cust(bytes), "bytes")
            .filter(Column::JudgeId.eq(id.as_str()))
            .filter(Column::Version.lt(before.unwrap_or(i32::MAX)))
            .order_by_desc(Column::Version)
            .limit(u64::from(MAX_VERSIONS));
        let newest: Vec<(i32, i64)> = self.db.in_time(newest.into_tuple().all(self.db.read())).await?;
        let mut bytes = 0;
        let newest = newest.into_iter().enumerate().take_while(|(at, (_, more))| {
            bytes += more;
            *at == 0 || bytes <= VERSION_BYTES
        });
        let numbers: Vec<i32> = newest.map(|(_, (number, _))| number).collect();
        let rows = judge_version::Entity::find()
            .filter(Column::JudgeId.eq(id.as_str()))
            .filter(Column::Version.is_in(numbers))
            .order_by_desc(Column::Version);
        self.db.in_time(rows.all(self.db.read())).await?.into_iter().map(read_version).collect()
    }
}
