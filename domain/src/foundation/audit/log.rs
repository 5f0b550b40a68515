//! The audit log: who changed what. An entry is written in the same transaction as its change, and contains neither
//! content nor secrets.

use chrono::{DateTime, Utc};
use entity::audit;
use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, PaginatorTrait, QueryFilter, QueryTrait,
    sea_query::Expr,
};
use serde_json::{Map, Value};

use super::action::Action;
use crate::{
    Result,
    foundation::{
        actor::Actor,
        database::Database,
        page::{Page, Slice, slice},
    },
};
use ports::id::AccountId;

/// The actor of changes made by the command line.
pub const COMMAND_LINE: &str = "operator";

/// A change to record.
#[derive(Clone, Debug)]
pub struct Change<'a> {
    pub account: &'a AccountId,
    /// `user_…`, `key_…`, or [`COMMAND_LINE`].
    pub actor: &'a str,
    pub action: Action,
    /// The id of what was changed, such as `judge_…`; may be empty.
    pub target: &'a str,
    /// Further details, as a JSON object.
    pub detail: Value,
}

impl<'a> Change<'a> {
    /// A change by an actor in its own account, without details.
    pub fn by(actor: &'a Actor, action: Action, target: &'a str) -> Self {
        Self {
            account: &actor.account,
            actor: actor.name(),
            action,
            target,
            detail: Value::Object(Map::new()),
        }
    }

    /// A change by the command line, without details.
    pub fn by_command_line(account: &'a AccountId, action: Action, target: &'a str) -> Self {
        Self { account, actor: COMMAND_LINE, action, target, detail: Value::Object(Map::new()) }
    }

    /// Adds details, a JSON object.
    pub fn with(self, detail: Value) -> Self {
        Self { detail, ..self }
    }
}

/// A recorded change.
#[derive(Clone, Debug, PartialEq)]
pub struct AuditEntry {
    /// The position among all changes.
    pub seq: i64,
    /// `user_…`, `key_…`, or [`COMMAND_LINE`].
    pub actor: String,
    pub action: Action,
    /// The id of what was changed; may be empty.
    pub target: String,
    /// Further details, as a JSON object.
    pub detail: Value,
    pub created_at: DateTime<Utc>,
}

/// Records a change in the transaction of the change.
pub(crate) async fn write(tx: &impl ConnectionTrait, change: Change<'_>) -> Result<()> {
    audit::Entity::insert(row(change)).exec_without_returning(tx).await?;
    Ok(())
}

/// Records a change of several transactions in the first of them; returns the entry's `seq`.
pub(crate) async fn begin(tx: &impl ConnectionTrait, change: Change<'_>) -> Result<i64> {
    Ok(audit::Entity::insert(row(change)).exec(tx).await?.last_insert_id)
}

/// Replaces the details of a change in each of its further transactions.
pub(crate) async fn go_on(tx: &impl ConnectionTrait, seq: i64, detail: &Value) -> Result<()> {
    audit::Entity::update_many()
        .col_expr(audit::Column::Detail, Expr::value(detail.to_string()))
        .filter(audit::Column::Seq.eq(seq))
        .exec(tx)
        .await?;
    Ok(())
}

fn row(change: Change<'_>) -> audit::ActiveModel {
    audit::ActiveModel {
        account_id: Set(change.account.to_string()),
        actor: Set(change.actor.to_owned()),
        action: Set(change.action.as_str().to_owned()),
        target: Set(change.target.to_owned()),
        detail: Set(change.detail.to_string()),
        created_at: Set(Utc::now()),
        ..Default::default()
    }
}

/// Reads the audit logs of all accounts. Cheap to clone.
#[derive(Clone)]
pub struct AuditLog {
    db: Database,
}

impl AuditLog {
    pub fn new(db: Database) -> Self {
        Self { db }
    }

    /// A page of an account's audit log, newest first; only one kind of change if `action` is given.
    pub async fn page(
        &self,
        account: &AccountId,
        action: Option<Action>,
        page: Page<i64>,
    ) -> Result<Slice<AuditEntry>> {
        let rows: Slice<audit::Model> =
            slice(entries_of(account, action), audit::Column::Seq, true, page, self.db.read()).await?;
        rows.try_map(|row| {
            Ok(AuditEntry {
                seq: row.seq,
                actor: row.actor,
                action: Action::parse(&row.action)?,
                target: row.target,
                detail: serde_json::from_str(&row.detail).unwrap_or_default(),
                created_at: row.created_at,
            })
        })
    }

    /// Counts an account's audit entries, or those of one kind of change.
    pub async fn count(&self, account: &AccountId, action: Option<Action>) -> Result<u64> {
        Ok(entries_of(account, action).count(self.db.read()).await?)
    }
}

fn entries_of(account: &AccountId, action: Option<Action>) -> sea_orm::Select<audit::Entity> {
    let of_account = audit::Entity::find().filter(audit::Column::AccountId.eq(account.as_str()));
    of_account.apply_if(action, |entries, action| entries.filter(audit::Column::Action.eq(action.as_str())))
}
