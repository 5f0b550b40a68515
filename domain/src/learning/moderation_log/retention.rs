//! Deletes what moderation logs have kept for long enough.

use chrono::{TimeDelta, Utc};

use crate::{
    Result,
    foundation::database::Database,
    learning::{dataset, judge},
};

/// Deletes the samples of moderation logs that are older than their retention; returns their number.
///
/// # Errors
/// `INTERNAL_ERROR` when the database does not answer.
pub async fn prune(db: &Database) -> Result<u64> {
    let mut pruned = 0;
    for (account, judge, days) in judge::with_retention(db).await? {
        let before = Utc::now() - TimeDelta::days(days.into());
        pruned += dataset::remove_older(db, &account, &judge, before).await?;
    }
    Ok(pruned)
}
