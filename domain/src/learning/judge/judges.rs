//! The Judges of all accounts: created, changed, archived, never deleted. A change of instructions, parameters or the
//! schema of states creates a version.

use std::sync::Arc;

use chrono::Utc;
use entity::judge;
use sea_orm::{ActiveValue::Set, ColumnTrait, EntityTrait, PaginatorTrait, QueryFilter, Select};
use serde_json::json;

use super::{JudgeChange, JudgeFilter, NewJudge, compiled::CompiledVersions, validate};
use crate::{
    Code, Error, Result,
    foundation::{
        actor::{Actor, Role},
        audit,
        database::Database,
        page::{Page, Slice, slice},
        search::occurs,
    },
    learning::owner::{
        DatasetOwner, Judge, JudgeVersion, NewOwner, NewVersion, OwnerKind, find_owner, find_version, insert,
        lock_judge, of_kind, with_versions, write_audit, write_version,
    },
};
use ports::id::{AccountId, DatasetId, JudgeId};

/// The Judges of all accounts. A moderation log is not one of them. Cheap to clone.
#[derive(Clone)]
pub struct Judges {
    pub(super) db: Database,
    pub(super) compiled: Arc<CompiledVersions>,
}

impl Judges {
    pub fn new(db: Database) -> Self {
        Self { db, compiled: Arc::default() }
    }

    /// Creates a Judge.
    ///
    /// # Errors
    /// `FORBIDDEN` for an analyst; `VALIDATION_FAILED` naming the field.
    pub async fn create(&self, actor: &Actor, new: NewJudge) -> Result<Judge> {
        actor.require(Role::Editor)?;
        let new = NewOwner {
            kind: OwnerKind::Decision,
            name: validate::name(&new.name)?,
            description: validate::description(&new.description)?,
            instructions: validate::instructions(&new.instructions)?,
            parameters: validate::parameters(&new.parameters)?,
            state_schema: new.state_schema.as_ref().map(validate::state_schema).transpose()?,
            store_content: new.store_content,
            retention_days: None,
        };
        let detail = json!({ "store_content": new.store_content });
        let tx = self.db.begin().await?;
        let id = insert(&tx, actor, new).await?;
        write_audit(&tx, actor, audit::Action::JudgeCreate, &id, detail).await?;
        tx.commit().await?;
        self.find(&actor.account, &JudgeId::from(String::from(id))).await
    }

    /// Changes a Judge.
    ///
    /// # Errors
    /// `FORBIDDEN` for an analyst; `VALIDATION_FAILED` naming the field; `NOT_FOUND` without such a Judge; `CONFLICT`
    /// when it has changed since the version named, is archived, or is a moderation log.
    pub async fn update(&self, actor: &Actor, id: &JudgeId, change: JudgeChange) -> Result<Judge> {
        actor.require(Role::Editor)?;
        let change = validate::change(change)?;
        let tx = self.db.begin().await?;
        let now = lock_judge(&tx, &actor.account, id).await?;
        if change.version.is_some_and(|version| version != now.version) {
            let message =
                format!("the Judge has changed in the meantime: its version is now {}", now.version);
            return Err(Error::new(Code::Conflict, message));
        }
        if now.archived_at.is_some() {
            return Err(Error::new(
                Code::Conflict,
                "the Judge is archived; bring it back before you change it",
            ));
        }
        let owner = DatasetId::from(id);
        let mut row =
            judge::ActiveModel { id: Set(id.to_string()), updated_at: Set(Utc::now()), ..Default::default() };
        let mut changed = Vec::new();
        let old = find_version(&tx, &owner, now.version).await?;
        let new = NewVersion {
            number: now.version + 1,
            instructions: change.instructions.unwrap_or_else(|| old.instructions.clone()),
            parameters: change.parameters.unwrap_or_else(|| old.parameters.clone()),
            state_schema: change.state_schema.unwrap_or_else(|| old.state_schema.clone()),
        };
        if (&new.instructions, &new.parameters, &new.state_schema)
            != (&old.instructions, &old.parameters, &old.state_schema)
        {
            row.version = Set(new.number);
            write_version(&tx, &owner, new, actor.name()).await?;
            changed.push("version");
        }
        if let Some(name) = change.name.filter(|name| *name != now.name) {
            row.name = Set(name);
            changed.push("name");
        }
        if let Some(description) = change.description.filter(|description| *description != now.description) {
            row.description = Set(description);
            changed.push("description");
        }
        if let Some(store) = change.store_content.filter(|store| *store != now.store_content) {
            row.store_content = Set(store);
            changed.push(if store { "store_content: on" } else { "store_content: off" });
        }
        if !changed.is_empty() {
            judge::Entity::update(row).exec(&tx).await?;
            let detail = json!({ "changed": changed });
            write_audit(&tx, actor, audit::Action::JudgeUpdate, &owner, detail).await?;
        }
        tx.commit().await?;
        self.find(&actor.account, id).await
    }

    /// Archives a Judge, so that it no longer answers, or restores it. Repeating is no error.
    ///
    /// # Errors
    /// `FORBIDDEN` for an analyst, `NOT_FOUND` without such a Judge, `CONFLICT` for a moderation log.
    pub async fn archive(&self, actor: &Actor, id: &JudgeId, archived: bool) -> Result<Judge> {
        actor.require(Role::Editor)?;
        let tx = self.db.begin().await?;
        let now = lock_judge(&tx, &actor.account, id).await?;
        if now.archived_at.is_some() != archived {
            let row = judge::ActiveModel {
                id: Set(id.to_string()),
                archived_at: Set(archived.then(Utc::now)),
                updated_at: Set(Utc::now()),
                ..Default::default()
            };
            judge::Entity::update(row).exec(&tx).await?;
            let action = if archived { audit::Action::JudgeArchive } else { audit::Action::JudgeUnarchive };
            write_audit(&tx, actor, action, &DatasetId::from(id), json!({})).await?;
        }
        tx.commit().await?;
        self.find(&actor.account, id).await
    }

    /// Reads one Judge of an account.
    ///
    /// # Errors
    /// `NOT_FOUND` without it, with the same message for a Judge of another account; `CONFLICT` for a moderation log.
    pub async fn find(&self, account: &AccountId, id: &JudgeId) -> Result<Judge> {
        find_owner(&self.db, account, &DatasetId::from(id)).await?.into_judge()
    }

    /// Reads a page of an account's Judges, newest first; keys are ids.
    pub async fn list(
        &self,
        account: &AccountId,
        filter: &JudgeFilter,
        page: Page<String>,
    ) -> Result<Slice<Judge>> {
        let Slice { items, has_previous, has_next } =
            slice(self.filtered(account, filter), judge::Column::Id, true, page, self.db.read()).await?;
        let owners = with_versions(&self.db, items).await?.into_iter();
        let items = owners.map(DatasetOwner::into_judge).collect::<Result<_>>()?;
        Ok(Slice { items, has_previous, has_next })
    }

    /// Counts an account's Judges.
    pub async fn count(&self, account: &AccountId, filter: &JudgeFilter) -> Result<u64> {
        Ok(self.filtered(account, filter).count(self.db.read()).await?)
    }

    /// Reads one version of a Judge. The caller has checked the Judge's account.
    ///
    /// # Errors
    /// `NOT_FOUND` without such a version.
    pub async fn find_version(&self, id: &JudgeId, number: i32) -> Result<JudgeVersion> {
        find_version(self.db.read(), &DatasetId::from(id), number).await
    }

    fn filtered(&self, account: &AccountId, filter: &JudgeFilter) -> Select<judge::Entity> {
        let mut query = of_kind(account, OwnerKind::Decision);
        if let Some(archived) = filter.archived {
            let column = judge::Column::ArchivedAt;
            query = query.filter(if archived { column.is_not_null() } else { column.is_null() });
        }
        if let Some(name) = filter.name.as_deref().map(str::trim).filter(|name| !name.is_empty()) {
            query = query.filter(occurs(&self.db, judge::Column::Name, name));
        }
        query
    }
}
