//! The random secrets of the deployment, the same in all its processes.

use base64::{Engine as _, prelude::BASE64_STANDARD};
use chrono::Utc;
use entity::secret;
use rand::RngCore;
use sea_orm::{ActiveValue::Set, EntityTrait, sea_query::OnConflict};
use strum::IntoStaticStr;

use super::database::Database;
use crate::{Error, Result};

/// What a secret is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum DeploymentSecret {
    /// The channel memory hashes authors, links and texts with it.
    ChannelMemory,
    /// It signs the challenges of proofs of work.
    ProofOfWork,
    /// It signs the links that end e-mails.
    Unsubscribe,
}

impl DeploymentSecret {
    /// Reads the secret; the first process makes it.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` when the database does not answer.
    pub async fn read(self, db: &Database) -> Result<[u8; 32]> {
        let name: &str = self.into();
        let mut made = [0; 32];
        rand::rng().fill_bytes(&mut made);
        let row = secret::ActiveModel {
            name: Set(name.to_owned()),
            value: Set(BASE64_STANDARD.encode(made)),
            created_at: Set(Utc::now()),
        };
        if secret::Entity::find_by_id(name).one(db.write()).await?.is_none() {
            let first = OnConflict::column(secret::Column::Name).do_nothing().to_owned();
            secret::Entity::insert(row).on_conflict(first).exec_without_returning(db.write()).await?;
        }
        let stored = secret::Entity::find_by_id(name).one(db.write()).await?;
        let stored = stored.and_then(|row| BASE64_STANDARD.decode(row.value).ok()?.try_into().ok());
        stored.ok_or_else(|| Error::internal(format!("the secret `{name}` is missing or damaged")))
    }
}
