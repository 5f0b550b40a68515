//! The artefacts of training in the database: content-addressed, so that a reader with a hash can verify the bytes.

use async_trait::async_trait;
use chrono::Utc;
use entity::{artefact, checkpoint, checkpoint_event};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QuerySelect, QueryTrait,
    sea_query::OnConflict,
};
use sha2::{Digest, Sha256};

use crate::{Result, background::job, foundation::database::Database};
use ports::id::AccountId;
use ports::{EngineError, decision::HeadStore};

/// Maximum bytes of an artefact.
pub(super) const MAX_BYTES: usize = 8 * 1_024 * 1_024;

/// Reads artefacts from the database.
pub struct Artefacts {
    pub db: Database,
}

#[async_trait]
impl HeadStore for Artefacts {
    async fn read(&self, sha256: &str) -> Result<Vec<u8>, EngineError> {
        let read = self.db.in_time(artefact::Entity::find_by_id(sha256).one(self.db.read())).await;
        let row = read.map_err(|error| EngineError(error.to_string()))?;
        let row = row.ok_or_else(|| EngineError(format!("there is no artefact {sha256}")))?;
        verify(sha256, row.bytes)
    }
}

/// Returns the bytes of an artefact if they are the ones that were written. The hash of the largest takes some 20 ms,
/// and an artefact is read once by a process that answers with it, and once by a training or an evaluation.
fn verify(sha256: &str, bytes: Vec<u8>) -> Result<Vec<u8>, EngineError> {
    let found = format!("{:x}", Sha256::digest(&bytes));
    if found == sha256 {
        return Ok(bytes);
    }
    Err(EngineError(format!("the artefact {sha256} is damaged: its bytes have the hash {found}")))
}

/// Writes an artefact, unless it exists.
pub(super) async fn write(tx: &impl ConnectionTrait, sha256: &str, bytes: &[u8]) -> Result<(), DbErr> {
    let row = artefact::ActiveModel {
        sha256: Set(sha256.to_owned()),
        bytes: Set(bytes.to_owned()),
        created_at: Set(Utc::now()),
    };
    let once = OnConflict::column(artefact::Column::Sha256).do_nothing().to_owned();
    artefact::Entity::insert(row).on_conflict(once).exec_without_returning(tx).await?;
    Ok(())
}

/// Deletes an account's Checkpoints with their events, and the artefacts that no other account's Checkpoint names. Its
/// Judges are deleted afterwards.
pub(crate) async fn erase(tx: &impl ConnectionTrait, account: &AccountId) -> Result<()> {
    let artefacts: Vec<String> = job::of_account::<checkpoint::Entity>(account)
        .select_only()
        .column(checkpoint::Column::Artefact)
        .filter(checkpoint::Column::Artefact.is_not_null())
        .into_tuple()
        .all(tx)
        .await?;
    let ids = job::of_account::<checkpoint::Entity>(account)
        .select_only()
        .column(checkpoint::Column::Id)
        .into_query();
    checkpoint_event::Entity::delete_many()
        .filter(checkpoint_event::Column::CheckpointId.in_subquery(ids))
        .exec(tx)
        .await?;
    checkpoint::Entity::delete_many()
        .filter(checkpoint::Column::AccountId.eq(account.as_str()))
        .exec(tx)
        .await?;
    let named = checkpoint::Entity::find()
        .select_only()
        .column(checkpoint::Column::Artefact)
        .filter(checkpoint::Column::Artefact.is_not_null())
        .into_query();
    artefact::Entity::delete_many()
        .filter(artefact::Column::Sha256.is_in(artefacts))
        .filter(artefact::Column::Sha256.not_in_subquery(named))
        .exec(tx)
        .await?;
    Ok(())
}
