//! Stores Judges: created, changed, archived, never deleted. A change of instructions or parameters creates a
//! version.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use entity::{checkpoint, judge, judge_version};
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, ConnectionTrait, EntityTrait, PaginatorTrait, QueryFilter, QuerySelect, Select,
    sea_query::{ExprTrait, LockType},
};
use serde_json::{Map, Value, json};

use super::validate;
use crate::{
    Code, Error, Result,
    foundation::{
        actor::{Actor, Role},
        audit,
        database::Database,
        page::{Page, Slice, slice},
        search::occurs,
    },
    operations::inference::{InstructionLimits, parse_instructions},
};
use ports::decision::{CheckpointRef, Question};
use ports::id::{AccountId, CheckpointId, JudgeId};

/// The kind of a Judge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JudgeKind {
    /// Answers questions.
    Decision,
    /// The moderation log of its account, of which there is one: its samples are moderated messages.
    Moderation,
}

impl JudgeKind {
    /// The name in the database.
    fn as_str(self) -> &'static str {
        match self {
            JudgeKind::Decision => "decision",
            JudgeKind::Moderation => "moderation",
        }
    }

    fn of(row: &judge::Model) -> Self {
        if row.kind == JudgeKind::Moderation.as_str() { JudgeKind::Moderation } else { JudgeKind::Decision }
    }

    /// # Errors
    /// `CONFLICT` for a moderation log.
    fn require_decision(self) -> Result<()> {
        let message = "this is the account's moderation log, which is neither asked nor trained, and is changed by setModerationLog";
        match self {
            JudgeKind::Decision => Ok(()),
            JudgeKind::Moderation => Err(Error::new(Code::Conflict, message)),
        }
    }
}

/// A Judge with its newest version.
#[derive(Clone, Debug, PartialEq)]
pub struct Judge {
    /// `judge_…`
    pub id: JudgeId,
    pub account: AccountId,
    pub kind: JudgeKind,
    pub name: String,
    /// May be empty.
    pub description: String,
    /// True when its requests and answers are recorded.
    pub store_content: bool,
    /// After how many days its samples are deleted; none for never.
    pub retention_days: Option<i32>,
    /// The newest version.
    pub version: Version,
    /// The Checkpoint that answers; `None` for the model as it is.
    pub checkpoint: Option<CheckpointRef>,
    /// Set while the Judge is archived and does not answer.
    pub archived_at: Option<DateTime<Utc>>,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
}

/// A version of a Judge's instructions and parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Version {
    /// 1, 2, 3, …
    pub number: i32,
    /// The instructions, as submitted.
    pub instructions: Value,
    /// The parameters, as submitted.
    pub parameters: Map<String, Value>,
    /// `user_…` or `key_…`.
    pub created_by: String,
    pub created_at: DateTime<Utc>,
}

impl Judge {
    /// # Errors
    /// `CONFLICT` for a moderation log.
    pub(crate) fn require_decision(&self) -> Result<()> {
        self.kind.require_decision()
    }
}

/// The fields of a new Judge.
#[derive(Clone, Debug)]
pub struct NewJudge {
    /// 1 to 100 characters.
    pub name: String,
    /// Up to 2,000 characters.
    pub description: String,
    /// Questions, in any form of an inference.
    pub instructions: Value,
    pub parameters: Map<String, Value>,
    /// True to record its requests and answers.
    pub store_content: bool,
}

/// A change of a Judge; a field that is `None` stays.
#[derive(Clone, Debug, Default)]
pub struct JudgeChange {
    /// The version that the change is based on; refused when there is a newer one.
    pub version: Option<i32>,
    /// 1 to 100 characters.
    pub name: Option<String>,
    /// Up to 2,000 characters.
    pub description: Option<String>,
    pub instructions: Option<Value>,
    pub parameters: Option<Map<String, Value>>,
    /// True to record its requests and answers.
    pub store_content: Option<bool>,
}

/// A filter on Judges.
#[derive(Clone, Debug, Default)]
pub struct JudgeFilter {
    /// True: only archived Judges. False: only the others. `None`: both.
    pub archived: Option<bool>,
    /// Only Judges whose name contains this text, case-insensitive.
    pub name: Option<String>,
}

/// Creates a Judge.
///
/// # Errors
/// `FORBIDDEN` for an analyst; `VALIDATION_FAILED` naming the field.
pub async fn create(db: &Database, actor: &Actor, new: NewJudge) -> Result<Judge> {
    actor.require(Role::Editor)?;
    let new = NewJudge {
        name: validate::name(&new.name)?,
        description: validate::description(&new.description)?,
        instructions: validate::instructions(&new.instructions)?,
        parameters: validate::parameters(&new.parameters)?,
        store_content: new.store_content,
    };
    let audited = json!({ "store_content": new.store_content });
    let tx = db.begin().await?;
    let id = insert(&tx, actor, JudgeKind::Decision, None, new).await?;
    write_audit(&tx, actor, audit::Action::JudgeCreate, &id, audited).await?;
    tx.commit().await?;
    find(db, &actor.account, &id).await
}

/// Writes a valid Judge with its first version.
pub(super) async fn insert(
    tx: &impl ConnectionTrait,
    actor: &Actor,
    kind: JudgeKind,
    retention_days: Option<i32>,
    new: NewJudge,
) -> Result<JudgeId> {
    let id = JudgeId::new();
    let now = Utc::now();
    let row = judge::ActiveModel {
        id: Set(id.to_string()),
        account_id: Set(actor.account.to_string()),
        kind: Set(kind.as_str().to_owned()),
        name: Set(new.name),
        description: Set(new.description),
        store_content: Set(new.store_content),
        retention_days: Set(retention_days),
        version: Set(1),
        active_checkpoint_id: Set(None),
        archived_at: Set(None),
        created_at: Set(now),
        updated_at: Set(now),
    };
    judge::Entity::insert(row).exec_without_returning(tx).await?;
    write_version(tx, &id, 1, (new.instructions, new.parameters), actor.name()).await?;
    Ok(id)
}

/// Changes a Judge.
///
/// # Errors
/// `FORBIDDEN` for an analyst; `VALIDATION_FAILED` naming the field; `NOT_FOUND` without such a Judge; `CONFLICT` when it has
/// changed since the version named, is archived, or is a moderation log.
pub async fn update(db: &Database, actor: &Actor, id: &JudgeId, change: JudgeChange) -> Result<Judge> {
    actor.require(Role::Editor)?;
    let name = change.name.as_deref().map(validate::name).transpose()?;
    let description = change.description.as_deref().map(validate::description).transpose()?;
    let instructions = change.instructions.as_ref().map(validate::instructions).transpose()?;
    let parameters = change.parameters.as_ref().map(validate::parameters).transpose()?;
    let tx = db.begin().await?;
    let now = lock(&tx, &actor.account, id).await?;
    JudgeKind::of(&now).require_decision()?;
    if change.version.is_some_and(|version| version != now.version) {
        let message = format!("the Judge has changed meanwhile: its version is {} now", now.version);
        return Err(Error::new(Code::Conflict, message));
    }
    if now.archived_at.is_some() {
        return Err(Error::new(Code::Conflict, "the Judge is archived; bring it back before you change it"));
    }
    let old = version_row(&tx, id, now.version).await?;
    let new = (
        instructions.unwrap_or_else(|| old.instructions.clone()),
        parameters.unwrap_or_else(|| old.parameters.clone()),
    );
    let mut row =
        judge::ActiveModel { id: Set(id.to_string()), updated_at: Set(Utc::now()), ..Default::default() };
    let mut changed = Vec::new();
    if new != (old.instructions, old.parameters) {
        write_version(&tx, id, now.version + 1, new, actor.name()).await?;
        row.version = Set(now.version + 1);
        changed.push("version");
    }
    if let Some(name) = name.filter(|name| *name != now.name) {
        row.name = Set(name);
        changed.push("name");
    }
    if let Some(description) = description.filter(|description| *description != now.description) {
        row.description = Set(description);
        changed.push("description");
    }
    if let Some(store) = change.store_content.filter(|store| *store != now.store_content) {
        row.store_content = Set(store);
        changed.push(if store { "store_content: on" } else { "store_content: off" });
    }
    if !changed.is_empty() {
        judge::Entity::update(row).exec(&tx).await?;
        write_audit(&tx, actor, audit::Action::JudgeUpdate, id, json!({ "changed": changed })).await?;
    }
    tx.commit().await?;
    find(db, &actor.account, id).await
}

/// Archives a Judge, so that it no longer answers, or restores it. Repeating is no error.
///
/// # Errors
/// `FORBIDDEN` for an analyst, `NOT_FOUND` without such a Judge, `CONFLICT` for a moderation log.
pub async fn archive(db: &Database, actor: &Actor, id: &JudgeId, archived: bool) -> Result<Judge> {
    actor.require(Role::Editor)?;
    let tx = db.begin().await?;
    let now = lock(&tx, &actor.account, id).await?;
    JudgeKind::of(&now).require_decision()?;
    if now.archived_at.is_some() != archived {
        let row = judge::ActiveModel {
            id: Set(id.to_string()),
            archived_at: Set(archived.then(Utc::now)),
            updated_at: Set(Utc::now()),
            ..Default::default()
        };
        judge::Entity::update(row).exec(&tx).await?;
        let action = if archived { audit::Action::JudgeArchive } else { audit::Action::JudgeUnarchive };
        write_audit(&tx, actor, action, id, json!({})).await?;
    }
    tx.commit().await?;
    find(db, &actor.account, id).await
}

/// Reads one Judge of an account.
///
/// # Errors
/// `NOT_FOUND` without it, with the same message for a Judge of another account.
pub async fn find(db: &Database, account: &AccountId, id: &JudgeId) -> Result<Judge> {
    let found = find_many(db, account, std::slice::from_ref(id)).await?;
    found.into_iter().next().ok_or_else(judge_not_found)
}

/// Reads Judges of an account; ids that do not exist are left out.
pub async fn find_many(db: &Database, account: &AccountId, ids: &[JudgeId]) -> Result<Vec<Judge>> {
    let rows = of(account).filter(judge::Column::Id.is_in(ids.iter().map(JudgeId::as_str)));
    with_versions(db, db.in_time(rows.all(db.read())).await?).await
}

/// Reads the moderation log of an account; none if it never had one.
pub async fn moderation_log(db: &Database, account: &AccountId) -> Result<Option<Judge>> {
    let row = of_kind(account, JudgeKind::Moderation).one(db.read());
    let row = db.in_time(row).await?;
    Ok(with_versions(db, row.into_iter().collect()).await?.pop())
}

/// Reads a page of an account's Judges, newest first; keys are ids. Its moderation log is none of them.
pub async fn list(
    db: &Database,
    account: &AccountId,
    filter: &JudgeFilter,
    page: Page<String>,
) -> Result<Slice<Judge>> {
    let Slice { items, has_previous, has_next } =
        slice(filtered(account, filter), judge::Column::Id, true, page, db.read()).await?;
    Ok(Slice { items: with_versions(db, items).await?, has_previous, has_next })
}

/// Counts an account's Judges without its moderation log.
pub async fn count(db: &Database, account: &AccountId, filter: &JudgeFilter) -> Result<u64> {
    Ok(filtered(account, filter).count(db.read()).await?)
}

/// Reads all versions of a Judge, newest first.
///
/// # Errors
/// `NOT_FOUND` without such a Judge.
pub async fn versions(db: &Database, account: &AccountId, id: &JudgeId) -> Result<Vec<Version>> {
    find(db, account, id).await?;
    let rows = judge_version::Entity::find().filter(judge_version::Column::JudgeId.eq(id.as_str()));
    let mut rows = rows.all(db.read()).await?;
    rows.sort_unstable_by_key(|row| -row.version);
    rows.into_iter().map(read_version).collect()
}

/// Reads one version of a Judge. The caller has checked the Judge's account.
///
/// # Errors
/// `NOT_FOUND` without such a version.
pub async fn version(db: &Database, id: &JudgeId, number: i32) -> Result<Version> {
    version_row(db.read(), id, number).await
}

/// Parses the questions of stored instructions.
///
/// # Errors
/// Only for rows changed outside of Gavel: instructions are validated before they are stored.
pub fn questions(instructions: &Value) -> Result<Vec<Question>> {
    parse_instructions("instructions", instructions, InstructionLimits::OWN)
}

pub(super) fn judge_not_found() -> Error {
    Error::not_found("Judge")
}

/// The Judges of an account that are of a kind.
pub(super) fn of_kind(account: &AccountId, kind: JudgeKind) -> Select<judge::Entity> {
    of(account).filter(judge::Column::Kind.eq(kind.as_str()))
}

fn of(account: &AccountId) -> Select<judge::Entity> {
    judge::Entity::find().filter(judge::Column::AccountId.eq(account.as_str()))
}

fn filtered(account: &AccountId, filter: &JudgeFilter) -> Select<judge::Entity> {
    let mut query = of_kind(account, JudgeKind::Decision);
    if let Some(archived) = filter.archived {
        let column = judge::Column::ArchivedAt;
        query = query.filter(if archived { column.is_not_null() } else { column.is_null() });
    }
    if let Some(name) = filter.name.as_deref().map(str::trim).filter(|name| !name.is_empty()) {
        query = query.filter(occurs(judge::Column::Name, name));
    }
    query
}

async fn with_versions(db: &Database, rows: Vec<judge::Model>) -> Result<Vec<Judge>> {
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let newest = rows.iter().fold(sea_orm::Condition::any(), |any, row| {
        let this =
            judge_version::Column::JudgeId.eq(&row.id).and(judge_version::Column::Version.eq(row.version));
        any.add(this)
    });
    let versions = judge_version::Entity::find().filter(newest);
    let versions = db.in_time(versions.all(db.read())).await?;
    let mut versions: HashMap<String, judge_version::Model> =
        versions.into_iter().map(|row| (row.judge_id.clone(), row)).collect();
    let mut checkpoints = active_checkpoints(db, &rows).await?;
    let judge = |row: judge::Model| {
        let version =
            versions.remove(&row.id).ok_or_else(|| Error::internal(format!("{} has no version", row.id)))?;
        Ok(Judge {
            kind: JudgeKind::of(&row),
            id: JudgeId::from(row.id),
            account: AccountId::from(row.account_id),
            name: row.name,
            description: row.description,
            store_content: row.store_content,
            retention_days: row.retention_days,
            version: read_version(version)?,
            checkpoint: row.active_checkpoint_id.and_then(|id| checkpoints.remove(&id)),
            archived_at: row.archived_at,
            created_at: row.created_at,
            updated_at: row.updated_at,
        })
    };
    rows.into_iter().map(judge).collect()
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
    let found = db.in_time(found.all(db.read())).await?;
    let checkpoint =
        |(id, sha256): (String, String)| (id.clone(), CheckpointRef { id: CheckpointId::from(id), sha256 });
    Ok(found.into_iter().map(checkpoint).collect())
}

fn read_version(row: judge_version::Model) -> Result<Version> {
    Ok(Version {
        number: row.version,
        instructions: serde_json::from_str(&row.instructions).map_err(Error::internal)?,
        parameters: serde_json::from_str(&row.parameters).map_err(Error::internal)?,
        created_by: row.created_by,
        created_at: row.created_at,
    })
}

pub(super) async fn version_row(db: &impl ConnectionTrait, id: &JudgeId, number: i32) -> Result<Version> {
    let row = judge_version::Entity::find_by_id((id.to_string(), number)).one(db).await?;
    read_version(row.ok_or_else(|| Error::new(Code::NotFound, format!("the Judge has no version {number}")))?)
}

/// Reads a Judge and locks it against changes until the transaction ends. Its samples may be recorded meanwhile.
pub(crate) async fn lock(
    tx: &impl ConnectionTrait,
    account: &AccountId,
    id: &JudgeId,
) -> Result<judge::Model> {
    let row =
        of(account).filter(judge::Column::Id.eq(id.as_str())).lock(LockType::NoKeyUpdate).one(tx).await?;
    row.ok_or_else(judge_not_found)
}

pub(super) async fn write_version(
    tx: &impl ConnectionTrait,
    id: &JudgeId,
    number: i32,
    (instructions, parameters): (Value, Map<String, Value>),
    created_by: &str,
) -> Result<()> {
    let row = judge_version::ActiveModel {
        judge_id: Set(id.to_string()),
        version: Set(number),
        instructions: Set(instructions.to_string()),
        parameters: Set(Value::Object(parameters).to_string()),
        created_by: Set(created_by.to_owned()),
        created_at: Set(Utc::now()),
    };
    judge_version::Entity::insert(row).exec_without_returning(tx).await?;
    Ok(())
}

pub(super) async fn write_audit(
    tx: &impl ConnectionTrait,
    actor: &Actor,
    action: audit::Action,
    id: &JudgeId,
    detail: Value,
) -> Result<()> {
    let change =
        audit::Change { account: &actor.account, actor: actor.name(), action, target: id.as_str(), detail };
    audit::write(tx, change).await
}
