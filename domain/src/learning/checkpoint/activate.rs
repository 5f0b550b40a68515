//! Which Checkpoint answers for a Judge. Inference reads it with the Judge, so that a change counts at once on every
//! replica.

use chrono::Utc;
use entity::{checkpoint, judge};
use sea_orm::{ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, sea_query::Expr};
use serde_json::json;

use super::{checkpoints::Checkpoints, store::Checkpoint};
use crate::{
    Code, Error, Result,
    background::job::JobState,
    foundation::{
        actor::{Actor, Role},
        audit,
    },
    learning::owner::{DatasetOwner, find_owner, lock, lock_judge},
    money::credits::lock_account,
};
use ports::id::{CheckpointId, DatasetId, JudgeId};

impl Checkpoints {
    /// Lets a Checkpoint answer for its Judge from now on, in place of the base model or of another Checkpoint.
    /// Repeating is no error.
    ///
    /// # Errors
    /// `FORBIDDEN` for an analyst; `NOT_FOUND` without it; `CONFLICT` unless it has succeeded, or when its Judge is
    /// archived.
    pub async fn activate(&self, actor: &Actor, id: &CheckpointId) -> Result<Checkpoint> {
        actor.require(Role::Editor)?;
        let found = self.find(&actor.account, id).await?;
        if found.state != JobState::Succeeded {
            let message =
                format!("only a Checkpoint that has succeeded can answer; it is {}", found.state.as_str());
            return Err(Error::new(Code::Conflict, message));
        }
        let tx = self.paid.db.begin().await?;
        lock_account(&tx, &actor.account).await?;
        let row = lock_judge(&tx, &actor.account, &found.judge).await?;
        if row.archived_at.is_some() {
            return Err(Error::new(
                Code::Conflict,
                "the Judge is archived; bring it back before you change it",
            ));
        }
        if row.active_checkpoint_id.as_deref() != Some(id.as_str()) {
            set(&tx, &found.judge, id).await?;
            let detail = json!({ "judge": found.judge.as_str(), "before": row.active_checkpoint_id });
            let change = audit::Change::by(actor, audit::Action::CheckpointActivate, id.as_str());
            audit::write(&tx, change.with(detail)).await?;
        }
        tx.commit().await?;
        self.find(&actor.account, id).await
    }

    /// Lets the base model answer for a Judge from now on. Repeating is no error.
    ///
    /// # Errors
    /// `FORBIDDEN` for an analyst; `NOT_FOUND` without such a Judge.
    pub async fn deactivate(&self, actor: &Actor, id: &JudgeId) -> Result<DatasetOwner> {
        actor.require(Role::Editor)?;
        let tx = self.paid.db.begin().await?;
        lock_account(&tx, &actor.account).await?;
        let row = lock(&tx, &actor.account, &DatasetId::from(id)).await?;
        if let Some(before) = &row.active_checkpoint_id {
            let row = judge::ActiveModel {
                id: Set(id.to_string()),
                active_checkpoint_id: Set(None),
                updated_at: Set(Utc::now()),
                ..Default::default()
            };
            judge::Entity::update(row).exec(&tx).await?;
            let detail = json!({ "judge": id.as_str() });
            let change = audit::Change::by(actor, audit::Action::CheckpointDeactivate, before);
            audit::write(&tx, change.with(detail)).await?;
        }
        tx.commit().await?;
        find_owner(&self.paid.db, &actor.account, &DatasetId::from(id)).await
    }
}

/// Writes that a Checkpoint answers for its Judge.
pub(super) async fn set(
    tx: &impl ConnectionTrait,
    judge: &JudgeId,
    id: &CheckpointId,
) -> Result<(), sea_orm::DbErr> {
    let now = Utc::now();
    judge::Entity::update_many()
        .col_expr(judge::Column::ActiveCheckpointId, Expr::value(id.as_str()))
        .col_expr(judge::Column::UpdatedAt, Expr::value(now))
        .filter(judge::Column::Id.eq(judge.as_str()))
        .exec(tx)
        .await?;
    checkpoint::Entity::update_many()
        .col_expr(checkpoint::Column::ActivatedAt, Expr::value(now))
        .filter(checkpoint::Column::Id.eq(id.as_str()))
        .exec(tx)
        .await?;
    Ok(())
}
