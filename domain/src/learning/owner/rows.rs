//! The rows of the table `judge`.

use std::collections::HashMap;

use chrono::Utc;
use entity::{checkpoint, judge, judge_version};
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, Condition, ConnectionTrait, EntityTrait, QueryFilter, QuerySelect, Select,
    sea_query::{ExprTrait, LockType},
};
use serde_json::{Map, Value};
use strum::{Display, EnumString, IntoStaticStr};

use super::{
    DatasetOwner, Judge, ModerationLog, NewVersion, dataset_owner::not_a_judge, read_version, write_version,
};
use crate::{
    Error, Result,
    foundation::{actor::Actor, audit, database::Database},
};
use ports::decision::CheckpointRef;
use ports::id::{AccountId, CheckpointId, DatasetId, JudgeId};

/// The kind of a row. Its text is the name in the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Display, EnumString, IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub(crate) enum OwnerKind {
    /// A Judge.
    Decision,
    /// A moderation log.
    Moderation,
}

/// A row to write with its first version.
pub(crate) struct NewOwner {
    pub(crate) kind: OwnerKind,
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) instructions: Value,
    pub(crate) parameters: Map<String, Value>,
    pub(crate) state_schema: Option<Value>,
    pub(crate) store_content: bool,
    pub(crate) retention_days: Option<i32>,
}

/// Selects the owners of an account.
fn of_account(account: &AccountId) -> Select<judge::Entity> {
    judge::Entity::find().filter(judge::Column::AccountId.eq(account.as_str()))
}

/// Selects the owners of an account that are of a kind.
pub(crate) fn of_kind(account: &AccountId, kind: OwnerKind) -> Select<judge::Entity> {
    of_account(account).filter(judge::Column::Kind.eq(<&str>::from(kind)))
}

/// Reads the owner of a dataset of an account.
///
/// # Errors
/// `NOT_FOUND` without it.
pub(crate) async fn find_owner(db: &Database, account: &AccountId, id: &DatasetId) -> Result<DatasetOwner> {
    let found = find_owners(db, account, std::slice::from_ref(id)).await?;
    found.into_iter().next().ok_or_else(|| Error::not_found("Judge"))
}

/// Reads owners of an account; ids that do not exist are left out.
pub(crate) async fn find_owners(
    db: &Database,
    account: &AccountId,
    ids: &[DatasetId],
) -> Result<Vec<DatasetOwner>> {
    let rows = of_account(account).filter(judge::Column::Id.is_in(ids.iter().map(DatasetId::as_str)));
    with_versions(db, db.in_time(rows.all(db.read())).await?).await
}

/// Reads a row and locks it against changes until the transaction ends. Its samples may be recorded meanwhile.
///
/// # Errors
/// `NOT_FOUND` without it.
pub(crate) async fn lock(
    tx: &impl ConnectionTrait,
    account: &AccountId,
    id: &DatasetId,
) -> Result<judge::Model> {
    let row = of_account(account).filter(judge::Column::Id.eq(id.as_str())).lock(LockType::NoKeyUpdate);
    row.one(tx).await?.ok_or_else(|| Error::not_found("Judge"))
}

/// Reads the row of a Judge and locks it, as [`lock`] does.
///
/// # Errors
/// `NOT_FOUND` without it; `CONFLICT` for a moderation log.
pub(crate) async fn lock_judge(
    tx: &impl ConnectionTrait,
    account: &AccountId,
    id: &JudgeId,
) -> Result<judge::Model> {
    let row = lock(tx, account, &DatasetId::from(id)).await?;
    match kind(&row)? {
        OwnerKind::Decision => Ok(row),
        OwnerKind::Moderation => Err(not_a_judge()),
    }
}

/// Writes a valid row with its first version.
pub(crate) async fn insert(tx: &impl ConnectionTrait, actor: &Actor, new: NewOwner) -> Result<DatasetId> {
    let id = DatasetId::new();
    let now = Utc::now();
    let row = judge::ActiveModel {
        id: Set(id.to_string()),
        account_id: Set(actor.account.to_string()),
        kind: Set(new.kind.to_string()),
        name: Set(new.name),
        description: Set(new.description),
        store_content: Set(new.store_content),
        retention_days: Set(new.retention_days),
        version: Set(1),
        active_checkpoint_id: Set(None),
        archived_at: Set(None),
        created_at: Set(now),
        updated_at: Set(now),
    };
    judge::Entity::insert(row).exec_without_returning(tx).await?;
    let first = NewVersion {
        number: 1,
        instructions: new.instructions,
        parameters: new.parameters,
        state_schema: new.state_schema,
    };
    write_version(tx, &id, first, actor.name()).await?;
    Ok(id)
}

/// Adds the newest versions to rows, and the Checkpoints that answer.
pub(crate) async fn with_versions(db: &Database, rows: Vec<judge::Model>) -> Result<Vec<DatasetOwner>> {
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let newest = rows.iter().fold(Condition::any(), |any, row| {
        let this =
            judge_version::Column::JudgeId.eq(&row.id).and(judge_version::Column::Version.eq(row.version));
        any.add(this)
    });
    let versions = judge_version::Entity::find().filter(newest);
    let versions = db.in_time(versions.all(db.read())).await?;
    let mut versions: HashMap<String, judge_version::Model> =
        versions.into_iter().map(|row| (row.judge_id.clone(), row)).collect();
    let mut checkpoints = active_checkpoints(db, &rows).await?;
    let mut owners = Vec::with_capacity(rows.len());
    for row in rows {
        let version =
            versions.remove(&row.id).ok_or_else(|| Error::internal(format!("{} has no version", row.id)))?;
        let checkpoint = row.active_checkpoint_id.as_ref().and_then(|id| checkpoints.remove(id));
        owners.push(read_owner(row, version, checkpoint)?);
    }
    Ok(owners)
}

fn kind(row: &judge::Model) -> Result<OwnerKind> {
    row.kind.parse().map_err(Error::internal)
}

fn read_owner(
    row: judge::Model,
    version: judge_version::Model,
    checkpoint: Option<CheckpointRef>,
) -> Result<DatasetOwner> {
    let kind = kind(&row)?;
    let account = AccountId::from(row.account_id);
    let version = read_version(version)?;
    Ok(match kind {
        OwnerKind::Decision => DatasetOwner::Judge(Judge {
            id: JudgeId::from(row.id),
            account,
            name: row.name,
            description: row.description,
            store_content: row.store_content,
            version,
            checkpoint,
            archived_at: row.archived_at,
            created_at: row.created_at,
            updated_at: row.updated_at,
        }),
        OwnerKind::Moderation => DatasetOwner::ModerationLog(ModerationLog {
            id: DatasetId::from(row.id),
            account,
            name: row.name,
            description: row.description,
            enabled: row.store_content,
            retention_days: row.retention_days,
            version,
            created_at: row.created_at,
            updated_at: row.updated_at,
        }),
    })
}

/// The Checkpoints that answer for Judges, by id. Costs no statement where there is none.
async fn active_checkpoints(db: &Database, rows: &[judge::Model]) -> Result<HashMap<String, CheckpointRef>> {
    let ids: Vec<&str> = rows.iter().filter_map(|row| row.active_checkpoint_id.as_deref()).collect();
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let found = checkpoint::Entity::find()
        .select_only()
        .columns([checkpoint::Column::Id, checkpoint::Column::Artefact])
        .filter(checkpoint::Column::Id.is_in(ids))
        .filter(checkpoint::Column::Artefact.is_not_null())
        .into_tuple::<(String, String)>();
    let mut checkpoints = HashMap::new();
    for (id, sha256) in db.in_time(found.all(db.read())).await? {
        checkpoints.insert(id.clone(), CheckpointRef { id: CheckpointId::from(id), sha256 });
    }
    Ok(checkpoints)
}

pub(crate) async fn write_audit(
    tx: &impl ConnectionTrait,
    actor: &Actor,
    action: audit::Action,
    owner: &DatasetId,
    detail: Value,
) -> Result<()> {
    audit::write(tx, audit::Change::by(actor, action, owner.as_str()).with(detail)).await
}
