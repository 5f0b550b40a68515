//! The moderation log of an account as a Judge of its own kind: created when it is turned on, and kept when it is turned off.

use chrono::Utc;
use entity::judge;
use sea_orm::{ActiveValue::Set, ColumnTrait, EntityTrait, QueryFilter, QuerySelect, sea_query::LockType};
use serde_json::{Map, Value, json};

use super::store::{
    Judge, JudgeKind, NewJudge, find, insert, of_kind, version_row, write_audit, write_version,
};
use crate::{
    Error, Result,
    foundation::{
        actor::{Actor, Role},
        audit,
        database::Database,
    },
    money::credits::lock_account,
};
use ports::id::{AccountId, JudgeId};

/// Days that the samples of a moderation log may be kept, at most: ten years.
pub const MAX_RETENTION_DAYS: i32 = 3_650;
const NAME: &str = "Moderation log";
const DESCRIPTION: &str = "Moderated messages with their verdicts.";

/// Turns the recording of an account's moderated messages on or off. `questions` are what a moderator may label.
///
/// # Errors
/// `FORBIDDEN` for an analyst; `VALIDATION_FAILED` for a retention out of range.
pub(crate) async fn set_moderation_log(
    db: &Database,
    actor: &Actor,
    questions: Value,
    enabled: bool,
    retention_days: i32,
) -> Result<Judge> {
    actor.require(Role::Editor)?;
    if !(1..=MAX_RETENTION_DAYS).contains(&retention_days) {
        return Err(Error::invalid("retentionDays", format!("must be from 1 to {MAX_RETENTION_DAYS}")));
    }
    let tx = db.begin().await?;
    // So that of two that turn it on at once one creates it.
    lock_account(&tx, &actor.account).await?;
    let id = match of_kind(&actor.account, JudgeKind::Moderation).one(&tx).await? {
        Some(row) => {
            let change = judge::ActiveModel {
                id: Set(row.id.clone()),
                store_content: Set(enabled),
                retention_days: Set(Some(retention_days)),
                updated_at: Set(Utc::now()),
                ..Default::default()
            };
            judge::Entity::update(change).exec(&tx).await?;
            JudgeId::from(row.id)
        }
        None => {
            let log = NewJudge {
                name: NAME.to_owned(),
                description: DESCRIPTION.to_owned(),
                instructions: questions,
                parameters: Map::new(),
                store_content: enabled,
            };
            insert(&tx, actor, JudgeKind::Moderation, Some(retention_days), log).await?
        }
    };
    let detail = json!({ "enabled": enabled, "retention_days": retention_days });
    write_audit(&tx, actor, audit::Action::ModerationLogSet, &id, detail).await?;
    tx.commit().await?;
    find(db, &actor.account, &id).await
}

/// Gives a log a version with other questions, unless another process has done so.
pub(crate) async fn upgrade_moderation_log(db: &Database, log: &Judge, questions: Value) -> Result<Judge> {
    let tx = db.begin().await?;
    let row = of_kind(&log.account, JudgeKind::Moderation).lock(LockType::NoKeyUpdate).one(&tx).await?;
    if let Some(row) = row
        && version_row(&tx, &log.id, row.version).await?.instructions != questions
    {
        let number = row.version + 1;
        write_version(&tx, &log.id, number, (questions, Map::new()), audit::COMMAND_LINE).await?;
        let change = judge::ActiveModel { id: Set(row.id), version: Set(number), ..Default::default() };
        judge::Entity::update(change).exec(&tx).await?;
        tx.commit().await?;
    }
    find(db, &log.account, &log.id).await
}

/// The Judges whose samples are deleted after some days, with their accounts and the days.
pub async fn with_retention(db: &Database) -> Result<Vec<(AccountId, JudgeId, i32)>> {
    let rows = judge::Entity::find()
        .select_only()
        .columns([judge::Column::AccountId, judge::Column::Id, judge::Column::RetentionDays])
        .filter(judge::Column::RetentionDays.is_not_null())
        .into_tuple::<(String, String, i32)>();
    let rows = rows.all(db.read()).await?.into_iter();
    Ok(rows.map(|(account, judge, days)| (AccountId::from(account), JudgeId::from(judge), days)).collect())
}
