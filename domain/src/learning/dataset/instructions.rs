//! The instructions of samples: their own, or those of their Judge's version.

use std::collections::HashMap;

use entity::{judge, judge_version};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, EntityTrait, ExprTrait, QueryFilter, QuerySelect, QueryTrait,
};
use serde_json::Value;

use super::Datasets;
use crate::{Error, Result};
use ports::id::{AccountId, DatasetId};

/// Versions per query.
const VERSIONS_PER_QUERY: usize = 300;

/// A dataset and the number of a version of its owner.
pub type VersionKey = (DatasetId, i32);

impl Datasets {
    /// Reads instructions of an account's datasets, as stored; a version that does not exist is left out.
    pub async fn list_instructions(
        &self,
        account: &AccountId,
        versions: &[VersionKey],
    ) -> Result<HashMap<VersionKey, Value>> {
        self.db.in_time(read(self.db.read(), account, versions)).await
    }
}

/// Reads them on a connection.
pub(super) async fn read(
    db: &impl ConnectionTrait,
    account: &AccountId,
    versions: &[VersionKey],
) -> Result<HashMap<VersionKey, Value>> {
    use judge_version::Column;
    let own = judge::Entity::find().filter(judge::Column::AccountId.eq(account.as_str()));
    let own = own.select_only().column(judge::Column::Id).into_query();
    let mut found = HashMap::with_capacity(versions.len());
    for versions in versions.chunks(VERSIONS_PER_QUERY) {
        let any = versions.iter().fold(Condition::any(), |any, (dataset, version)| {
            any.add(Column::JudgeId.eq(dataset.as_str()).and(Column::Version.eq(*version)))
        });
        let rows = judge_version::Entity::find().filter(any).filter(Column::JudgeId.in_subquery(own.clone()));
        for row in rows.all(db).await? {
            let instructions = serde_json::from_str(&row.instructions).map_err(Error::internal)?;
            found.insert((DatasetId::from(row.judge_id), row.version), instructions);
        }
    }
    Ok(found)
}
