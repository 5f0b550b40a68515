//! Judges as rows: made, changed, archived, never deleted. A change of instructions or parameters makes a version.

use chrono::{DateTime, Utc};
use entity::{judge, judge_version};
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, ConnectionTrait, EntityTrait, PaginatorTrait, QueryFilter, QuerySelect, Select,
    sea_query::{ExprTrait, LockType},
};
use serde_json::{Map, Value, json};

use super::validate;
use crate::{
    Code, Error, Result,
    actor::{Actor, Role},
    audit,
    database::Database,
    id::{AccountId, JudgeId},
    inference::{InstructionLimits, Question, parse_instructions},
    page::{Page, Slice, slice},
    search::occurs,
};

/// A Judge with its newest version.
#[derive(Clone, Debug, PartialEq)]
pub struct Judge {
    /// `judge_…`
    pub id: JudgeId,
    /// Whose.
    pub account: AccountId,
    /// A person's word for it.
    pub name: String,
    /// What it is for; may be empty.
    pub description: String,
    /// Whether its requests and answers are recorded.
    pub store_content: bool,
    /// What it asks.
    pub version: Version,
    /// Since when it no longer answers.
    pub archived_at: Option<DateTime<Utc>>,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// When anything of it last changed.
    pub updated_at: DateTime<Utc>,
}

/// What a Judge asks, or once asked.
#[derive(Clone, Debug, PartialEq)]
pub struct Version {
    /// 1, 2, 3, …
    pub number: i32,
    /// The instructions as they were given.
    pub instructions: Value,
    /// The parameters as they were given.
    pub parameters: Map<String, Value>,
    /// Who made it: `user_…` or `key_…`.
    pub created_by: String,
    /// When.
    pub created_at: DateTime<Utc>,
}

/// What a new Judge should be.
#[derive(Clone, Debug)]
pub struct NewJudge {
    /// 1 to 100 characters.
    pub name: String,
    /// Up to 2,000 characters.
    pub description: String,
    /// What it asks, in any form of an inference.
    pub instructions: Value,
    /// What tunes it.
    pub parameters: Map<String, Value>,
    /// Whether its requests and answers are recorded.
    pub store_content: bool,
}

/// What should change; what is none stays.
#[derive(Clone, Debug, Default)]
pub struct JudgeChange {
    /// The version that the change was thought of on; refused when there is a newer one.
    pub version: Option<i32>,
    /// 1 to 100 characters.
    pub name: Option<String>,
    /// Up to 2,000 characters.
    pub description: Option<String>,
    /// What it asks.
    pub instructions: Option<Value>,
    /// What tunes it.
    pub parameters: Option<Map<String, Value>>,
    /// Whether its requests and answers are recorded.
    pub store_content: Option<bool>,
}

/// Which Judges.
#[derive(Clone, Debug, Default)]
pub struct JudgeFilter {
    /// Only archived ones, or only the others; none for both.
    pub archived: Option<bool>,
    /// Only those in whose name it occurs, whatever the case.
    pub name: Option<String>,
}

/// Makes a Judge.
///
/// # Errors
/// `FORBIDDEN` for an analyst; `VALIDATION_FAILED` naming the field.
pub async fn create(db: &Database, actor: &Actor, new: NewJudge) -> Result<Judge> {
    actor.require(Role::Editor)?;
    let name = validate::name(&new.name)?;
    let description = validate::description(&new.description)?;
    let instructions = validate::instructions(&new.instructions)?;
    let parameters = validate::parameters(&new.parameters)?;
    let (id, now) = (JudgeId::new(), Utc::now());
    let row = judge::ActiveModel {
        id: Set(id.to_string()),
        account_id: Set(actor.account.to_string()),
        name: Set(name),
        description: Set(description),
        store_content: Set(new.store_content),
        version: Set(1),
        archived_at: Set(None),
        created_at: Set(now),
        updated_at: Set(now),
    };
    let tx = db.begin().await?;
    judge::Entity::insert(row).exec_without_returning(&tx).await?;
    write_version(&tx, &id, 1, (instructions, parameters), actor).await?;
    write_audit(&tx, actor, "judge.create", &id, json!({ "store_content": new.store_content })).await?;
    tx.commit().await?;
    find(db, &actor.account, &id).await
}

/// Changes a Judge.
///
/// # Errors
/// `FORBIDDEN` for an analyst; `VALIDATION_FAILED` naming the field; `NOT_FOUND` without such a Judge; `CONFLICT` when it has
/// changed since the version named, or is archived.
pub async fn update(db: &Database, actor: &Actor, id: &JudgeId, change: JudgeChange) -> Result<Judge> {
    actor.require(Role::Editor)?;
    let name = change.name.as_deref().map(validate::name).transpose()?;
    let description = change.description.as_deref().map(validate::description).transpose()?;
    let instructions = change.instructions.as_ref().map(validate::instructions).transpose()?;
    let parameters = change.parameters.as_ref().map(validate::parameters).transpose()?;
    let tx = db.begin().await?;
    let now = lock(&tx, &actor.account, id).await?;
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
        write_version(&tx, id, now.version + 1, new, actor).await?;
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
        write_audit(&tx, actor, "judge.update", id, json!({ "changed": changed })).await?;
    }
    tx.commit().await?;
    find(db, &actor.account, id).await
}

/// Archives a Judge, so that it no longer answers, or brings it back. Doing so twice is no error.
///
/// # Errors
/// `FORBIDDEN` for an analyst, `NOT_FOUND` without such a Judge.
pub async fn archive(db: &Database, actor: &Actor, id: &JudgeId, archived: bool) -> Result<Judge> {
    actor.require(Role::Editor)?;
    let tx = db.begin().await?;
    let now = lock(&tx, &actor.account, id).await?;
    if now.archived_at.is_some() != archived {
        let row = judge::ActiveModel {
            id: Set(id.to_string()),
            archived_at: Set(archived.then(Utc::now)),
            updated_at: Set(Utc::now()),
            ..Default::default()
        };
        judge::Entity::update(row).exec(&tx).await?;
        let action = if archived { "judge.archive" } else { "judge.unarchive" };
        write_audit(&tx, actor, action, id, json!({})).await?;
    }
    tx.commit().await?;
    find(db, &actor.account, id).await
}

/// One Judge of an account.
///
/// # Errors
/// `NOT_FOUND` without it, in the same words for one of another account.
pub async fn find(db: &Database, account: &AccountId, id: &JudgeId) -> Result<Judge> {
    let found = find_many(db, account, std::slice::from_ref(id)).await?;
    found.into_iter().next().ok_or_else(no_judge)
}

/// Those of some Judges that there are in an account.
pub async fn find_many(db: &Database, account: &AccountId, ids: &[JudgeId]) -> Result<Vec<Judge>> {
    let rows = of(account).filter(judge::Column::Id.is_in(ids.iter().map(JudgeId::as_str)));
    with_versions(db, db.in_time(rows.all(db.read())).await?).await
}

/// A page of an account's Judges, newest first; keys are ids.
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

/// How many Judges there are.
pub async fn count(db: &Database, account: &AccountId, filter: &JudgeFilter) -> Result<u64> {
    Ok(filtered(account, filter).count(db.read()).await?)
}

/// All versions of a Judge, newest first.
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

/// One version of a Judge whose account has been checked.
///
/// # Errors
/// `NOT_FOUND` without such a version.
pub async fn version(db: &Database, id: &JudgeId, number: i32) -> Result<Version> {
    version_row(db.read(), id, number).await
}

/// The questions of stored instructions.
///
/// # Errors
/// None but for rows that somebody else wrote: they were checked when they were stored.
pub fn questions(instructions: &Value) -> Result<Vec<Question>> {
    parse_instructions("instructions", instructions, InstructionLimits::OWN)
}

pub(super) fn no_judge() -> Error {
    Error::new(Code::NotFound, "there is no such Judge")
}

fn of(account: &AccountId) -> Select<judge::Entity> {
    judge::Entity::find().filter(judge::Column::AccountId.eq(account.as_str()))
}

fn filtered(account: &AccountId, filter: &JudgeFilter) -> Select<judge::Entity> {
    let mut query = of(account);
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
    let mut versions: std::collections::HashMap<String, judge_version::Model> =
        versions.into_iter().map(|row| (row.judge_id.clone(), row)).collect();
    let judge = |row: judge::Model| {
        let version =
            versions.remove(&row.id).ok_or_else(|| Error::internal(format!("{} has no version", row.id)))?;
        Ok(Judge {
            id: JudgeId::from(row.id),
            account: AccountId::from(row.account_id),
            name: row.name,
            description: row.description,
            store_content: row.store_content,
            version: read_version(version)?,
            archived_at: row.archived_at,
            created_at: row.created_at,
            updated_at: row.updated_at,
        })
    };
    rows.into_iter().map(judge).collect()
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

async fn version_row(db: &impl ConnectionTrait, id: &JudgeId, number: i32) -> Result<Version> {
    let row = judge_version::Entity::find_by_id((id.to_string(), number)).one(db).await?;
    read_version(row.ok_or_else(|| Error::new(Code::NotFound, format!("the Judge has no version {number}")))?)
}

/// Reads a Judge and keeps others from changing it until the transaction ends. Samples of it may be recorded meanwhile.
pub(crate) async fn lock(
    tx: &impl ConnectionTrait,
    account: &AccountId,
    id: &JudgeId,
) -> Result<judge::Model> {
    let row =
        of(account).filter(judge::Column::Id.eq(id.as_str())).lock(LockType::NoKeyUpdate).one(tx).await?;
    row.ok_or_else(no_judge)
}

async fn write_version(
    tx: &impl ConnectionTrait,
    id: &JudgeId,
    number: i32,
    (instructions, parameters): (Value, Map<String, Value>),
    actor: &Actor,
) -> Result<()> {
    let row = judge_version::ActiveModel {
        judge_id: Set(id.to_string()),
        version: Set(number),
        instructions: Set(instructions.to_string()),
        parameters: Set(Value::Object(parameters).to_string()),
        created_by: Set(actor.name().to_owned()),
        created_at: Set(Utc::now()),
    };
    judge_version::Entity::insert(row).exec_without_returning(tx).await?;
    Ok(())
}

async fn write_audit(
    tx: &impl ConnectionTrait,
    actor: &Actor,
    action: &'static str,
    id: &JudgeId,
    detail: Value,
) -> Result<()> {
    let change =
        audit::Change { account: &actor.account, actor: actor.name(), action, target: id.as_str(), detail };
    audit::write(tx, change).await
}
