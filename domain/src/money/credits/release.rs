//! Releases holds: those that were dropped, and any that a condition selects.

use std::time::{Duration, Instant};

use entity::hold;
use sea_orm::{ColumnTrait, Condition, DatabaseTransaction, DbErr, EntityTrait, QueryFilter, QuerySelect};
use tokio::{sync::mpsc, task::AbortHandle};

use super::post::{lock, write_held};
use crate::foundation::database::Database;
use ports::id::{AccountId, HoldId};

/// The pause before the release of a dropped hold is retried.
const RELEASE_RETRY: Duration = Duration::from_millis(500);
/// Holds of one account that are released in one commit.
const RELEASE_CHUNK: u64 = 1_000;

/// Identifies a hold.
#[derive(Clone, Debug)]
pub(super) struct HoldKey {
    pub(super) id: HoldId,
    pub(super) account: AccountId,
    /// After this time [`Credits::expire_holds`](super::Credits::expire_holds) releases the hold.
    pub(super) expires: Instant,
}

/// Starts the task of this process that releases dropped holds.
pub(super) fn start(db: Database) -> (mpsc::UnboundedSender<HoldKey>, AbortHandle) {
    let (dropped, mut queue) = mpsc::unbounded_channel::<HoldKey>();
    let task = tokio::spawn(async move {
        while let Some(key) = queue.recv().await {
            while Instant::now() < key.expires
                && db.in_time(release_holds(&db, &key.account, by_id(&key))).await.is_err()
            {
                tokio::time::sleep(RELEASE_RETRY).await;
            }
        }
    });
    (dropped, task.abort_handle())
}

/// Releases the holds of an account that match a condition; returns how many.
pub(super) async fn release_holds(
    db: &Database,
    account: &AccountId,
    which: Condition,
) -> Result<u64, DbErr> {
    let tx = db.begin().await?;
    let account = account.as_str();
    let Some(funds) = lock(&tx, [account]).await?.remove(account) else { return Ok(0) };
    let deleted = delete_holds(&tx, account, which).await?;
    if deleted.holds > 0 {
        write_held(&tx, account, funds.held - deleted.amount).await?;
    }
    tx.commit().await?;
    Ok(deleted.holds)
}

/// Holds that were deleted but still count in `account.held`.
pub(super) struct DeletedHolds {
    pub(super) holds: u64,
    pub(super) amount: i64,
}

/// Deletes the holds of an account that match a condition. The account must be locked.
pub(super) async fn delete_holds(
    tx: &DatabaseTransaction,
    account: &str,
    which: Condition,
) -> Result<DeletedHolds, DbErr> {
    let holds = hold::Entity::find().filter(hold::Column::AccountId.eq(account)).filter(which);
    let holds = holds.limit(RELEASE_CHUNK).all(tx).await?;
    if !holds.is_empty() {
        let ids = holds.iter().map(|hold| hold.id.as_str());
        hold::Entity::delete_many().filter(hold::Column::Id.is_in(ids)).exec(tx).await?;
    }
    let amount = holds.iter().map(|hold| hold.amount).sum();
    Ok(DeletedHolds { holds: holds.len() as u64, amount })
}

pub(super) fn by_id(key: &HoldKey) -> Condition {
    Condition::all().add(hold::Column::Id.eq(key.id.as_str()))
}
