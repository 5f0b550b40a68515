//! The secret of the deployment, the same in all replicas, under which channels are remembered.

use base64::{Engine as _, prelude::BASE64_STANDARD};
use chrono::Utc;
use entity::secret;
use rand::RngCore;
use sea_orm::{ActiveValue::Set, EntityTrait, sea_query::OnConflict};

use crate::{Error, Result, foundation::database::Database};

const NAME: &str = "channel_memory";

/// Reads the secret; the first process makes it.
///
/// # Errors
/// `INTERNAL_ERROR` when the database does not answer.
pub async fn secret(db: &Database) -> Result<[u8; 32]> {
    let mut made = [0; 32];
    rand::rng().fill_bytes(&mut made);
    let row = secret::ActiveModel {
        name: Set(NAME.to_owned()),
        value: Set(BASE64_STANDARD.encode(made)),
        created_at: Set(Utc::now()),
    };
    if secret::Entity::find_by_id(NAME).one(db.write()).await?.is_none() {
        let first = OnConflict::column(secret::Column::Name).do_nothing().to_owned();
        secret::Entity::insert(row).on_conflict(first).exec_without_returning(db.write()).await?;
    }
    let stored = secret::Entity::find_by_id(NAME).one(db.write()).await?;
    let stored = stored.and_then(|row| BASE64_STANDARD.decode(row.value).ok()?.try_into().ok());
    stored.ok_or_else(|| Error::internal("the secret of the memory of channels is missing or damaged"))
}
