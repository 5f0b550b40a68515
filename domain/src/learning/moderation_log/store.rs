//! Writes moderation logs: created when they are turned on, and kept when they are turned off.

use chrono::Utc;
use entity::judge;
use sea_orm::{ActiveValue::Set, EntityTrait, QuerySelect, sea_query::LockType};
use serde_json::{Map, Value, json};

use super::{ModerationLogs, questions::questions};
use crate::{
    Error, Result,
    foundation::{
        actor::{Actor, Role},
        audit,
    },
    learning::owner::{
        ModerationLog, NewOwner, NewVersion, OwnerKind, find_version, insert, of_kind, write_audit,
        write_version,
    },
    money::credits::lock_account,
};
use ports::id::{AccountId, DatasetId};

/// Maximum days that the samples of a moderation log may be kept: ten years.
const MAX_RETENTION_DAYS: i32 = 3_650;
const NAME: &str = "Moderation log";
const DESCRIPTION: &str = "Moderated messages with their verdicts.";

impl ModerationLogs {
    /// Turns the log of an account on or off.
    pub(super) async fn write(
        &self,
        actor: &Actor,
        enabled: bool,
        retention_days: i32,
    ) -> Result<ModerationLog> {
        actor.require(Role::Editor)?;
        if !(1..=MAX_RETENTION_DAYS).contains(&retention_days) {
            return Err(Error::invalid("retentionDays", format!("must be from 1 to {MAX_RETENTION_DAYS}")));
        }
        let tx = self.db.begin().await?;
        // Of two requests that turn it on at once, one creates it.
        lock_account(&tx, &actor.account).await?;
        let id = match of_kind(&actor.account, OwnerKind::Moderation).one(&tx).await? {
            Some(row) => {
                let change = judge::ActiveModel {
                    id: Set(row.id.clone()),
                    store_content: Set(enabled),
                    retention_days: Set(Some(retention_days)),
                    updated_at: Set(Utc::now()),
                    ..Default::default()
                };
                judge::Entity::update(change).exec(&tx).await?;
                DatasetId::from(row.id)
            }
            None => {
                let log = NewOwner {
                    kind: OwnerKind::Moderation,
                    name: NAME.to_owned(),
                    description: DESCRIPTION.to_owned(),
                    instructions: questions(),
                    parameters: Map::new(),
                    state_schema: None,
                    store_content: enabled,
                    retention_days: Some(retention_days),
                };
                insert(&tx, actor, log).await?
            }
        };
        let detail = json!({ "enabled": enabled, "retention_days": retention_days });
        write_audit(&tx, actor, audit::Action::ModerationLogSet, &id, detail).await?;
        tx.commit().await?;
        self.reread(&actor.account).await
    }

    /// Gives a log a version with other questions, unless another process has done so.
    pub(super) async fn upgrade(&self, log: ModerationLog, questions: Value) -> Result<ModerationLog> {
        let tx = self.db.begin().await?;
        let row = of_kind(&log.account, OwnerKind::Moderation).lock(LockType::NoKeyUpdate).one(&tx).await?;
        if let Some(row) = row
            && find_version(&tx, &log.id, row.version).await?.instructions != questions
        {
            let number = row.version + 1;
            let new =
                NewVersion { number, instructions: questions, parameters: Map::new(), state_schema: None };
            write_version(&tx, &log.id, new, audit::COMMAND_LINE).await?;
            let change = judge::ActiveModel { id: Set(row.id), version: Set(number), ..Default::default() };
            judge::Entity::update(change).exec(&tx).await?;
            tx.commit().await?;
        }
        self.reread(&log.account).await
    }

    /// Reads a log that was just written.
    async fn reread(&self, account: &AccountId) -> Result<ModerationLog> {
        self.find(account).await?.ok_or_else(|| Error::not_found("Judge"))
    }
}
