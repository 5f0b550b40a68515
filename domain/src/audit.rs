//! The audit log: who changed what. Written in the transaction of the change itself. Never content, never a secret.

use chrono::{DateTime, Utc};
use entity::audit;
use sea_orm::{ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, PaginatorTrait, QueryFilter};
use serde_json::{Map, Value};

use crate::{
    Result,
    actor::Actor,
    database::Database,
    id::AccountId,
    page::{Page, Slice, slice},
};

/// Who changes, when nobody is signed in: the command line.
pub const COMMAND_LINE: &str = "operator";

/// One change to be written down.
#[derive(Clone, Debug)]
pub struct Change<'a> {
    /// Whose.
    pub account: &'a AccountId,
    /// Who: `user_…`, `key_…`, or [`COMMAND_LINE`].
    pub actor: &'a str,
    /// What: a noun and a verb, such as `judge.update`.
    pub action: &'static str,
    /// To what, such as `judge_…`; may be empty.
    pub target: &'a str,
    /// More of it; an object.
    pub detail: Value,
}

impl<'a> Change<'a> {
    /// What somebody does in their own account, with nothing more to say of it.
    pub fn by(actor: &'a Actor, action: &'static str, target: &'a str) -> Self {
        Self {
            account: &actor.account,
            actor: actor.name(),
            action,
            target,
            detail: Value::Object(Map::new()),
        }
    }

    /// What the command line does, with nothing more to say of it.
    pub fn by_command_line(account: &'a AccountId, action: &'static str, target: &'a str) -> Self {
        Self { account, actor: COMMAND_LINE, action, target, detail: Value::Object(Map::new()) }
    }

    /// With more of it, an object.
    pub fn with(self, detail: Value) -> Self {
        Self { detail, ..self }
    }
}

/// A change that was written down.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Its place among all changes.
    pub seq: i64,
    /// Who: `user_…`, `key_…`, or [`COMMAND_LINE`].
    pub actor: String,
    /// What: a noun and a verb.
    pub action: String,
    /// To what; may be empty.
    pub target: String,
    /// More of it; an object.
    pub detail: Value,
    /// When.
    pub created_at: DateTime<Utc>,
}

/// Writes a change down, on the transaction that makes it.
pub(crate) async fn write(tx: &impl ConnectionTrait, change: Change<'_>) -> Result<()> {
    let row = audit::ActiveModel {
        account_id: Set(change.account.to_string()),
        actor: Set(change.actor.to_owned()),
        action: Set(change.action.to_owned()),
        target: Set(change.target.to_owned()),
        detail: Set(change.detail.to_string()),
        created_at: Set(Utc::now()),
        ..Default::default()
    };
    audit::Entity::insert(row).exec_without_returning(tx).await?;
    Ok(())
}

/// A page of an account's log, newest first.
pub async fn page(db: &Database, account: &AccountId, page: Page<i64>) -> Result<Slice<Entry>> {
    let rows: Slice<audit::Model> =
        slice(entries_of(account), audit::Column::Seq, true, page, db.read()).await?;
    Ok(rows.map(|row| Entry {
        seq: row.seq,
        actor: row.actor,
        action: row.action,
        target: row.target,
        detail: serde_json::from_str(&row.detail).unwrap_or_default(),
        created_at: row.created_at,
    }))
}

/// How long an account's log is.
pub async fn count(db: &Database, account: &AccountId) -> Result<u64> {
    Ok(entries_of(account).count(db.read()).await?)
}

fn entries_of(account: &AccountId) -> sea_orm::Select<audit::Entity> {
    audit::Entity::find().filter(audit::Column::AccountId.eq(account.as_str()))
}
