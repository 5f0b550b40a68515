//! A Checkpoint that succeeded, written in the commit of its charge: artefact, metrics, state, and its activation.

use async_trait::async_trait;
use chrono::Utc;
use entity::checkpoint;
use sea_orm::{ColumnTrait, DatabaseTransaction, DbErr, EntityTrait, QueryFilter, sea_query::Expr};
use serde::Serialize;
use serde_json::json;

use super::{Metrics, activate, artefacts, ended::enqueue_ended};
use crate::{
    Error,
    background::job::JobState,
    foundation::{
        audit,
        database::Database,
        events::{Event, Events},
    },
    money::{
        amount::Amount,
        credits::{PostedRow, SideTable},
    },
    operations::inference::Recalibration,
};
use ports::id::{AccountId, CheckpointId, JudgeId};
use ports::training::TrainingReport;

/// A Checkpoint that succeeded.
#[derive(Debug)]
pub struct TrainedCheckpoint {
    pub(super) id: CheckpointId,
    pub(super) account: AccountId,
    pub(super) judge: JudgeId,
    pub(super) price: Amount,
    /// Who submitted it.
    pub(super) created_by: String,
    pub(super) artefact: Vec<u8>,
    pub(super) sha256: String,
    pub(super) backbone: String,
    pub(super) metrics: Metrics,
    pub(super) report: TrainingReport,
    pub(super) recalibrations: Vec<Recalibration>,
}

/// Writes [`TrainedCheckpoint`]s with their charges.
pub struct CheckpointTable {
    pub db: Database,
    /// Receives the Checkpoints that have ended.
    pub events: Events,
}

#[async_trait]
impl SideTable for CheckpointTable {
    type Row = TrainedCheckpoint;

    async fn write(&self, tx: &DatabaseTransaction, rows: &[PostedRow<'_, Self::Row>]) -> Result<(), DbErr> {
        for posted in rows {
            posted.row.write(&self.db, tx).await?;
        }
        Ok(())
    }

    fn bytes(&self, trained: &TrainedCheckpoint) -> usize {
        trained.artefact.len() + 64 * 1_024
    }

    fn announce(&self, account: &AccountId, trained: &TrainedCheckpoint) {
        self.events.publish(Event::Progress { account: account.clone(), subject: trained.id.to_string() });
    }
}

impl TrainedCheckpoint {
    async fn write(&self, db: &Database, tx: &DatabaseTransaction) -> Result<(), DbErr> {
        artefacts::write(tx, &self.sha256, &self.artefact).await?;
        let succeeded = checkpoint::Entity::update_many()
            .col_expr(checkpoint::Column::State, Expr::value(JobState::Succeeded.as_str()))
            .col_expr(checkpoint::Column::Progress, Expr::value(1.0))
            .col_expr(checkpoint::Column::Metrics, Expr::value(json(&self.metrics)?))
            .col_expr(checkpoint::Column::Report, Expr::value(json(&self.report)?))
            .col_expr(checkpoint::Column::Recalibrations, Expr::value(json(&self.recalibrations)?))
            .col_expr(checkpoint::Column::Artefact, Expr::value(self.sha256.as_str()))
            .col_expr(checkpoint::Column::Backbone, Expr::value(self.backbone.as_str()))
            .col_expr(checkpoint::Column::FinishedAt, Expr::value(Utc::now()))
            .filter(checkpoint::Column::Id.eq(self.id.as_str()))
            .filter(checkpoint::Column::State.eq(JobState::Running.as_str()))
            .exec(tx)
            .await?;
        if succeeded.rows_affected == 0 {
            return Err(DbErr::Custom(format!("{} does not run", self.id)));
        }
        if self.metrics.activated {
            activate::set(tx, &self.judge, &self.id).await?;
            let change = audit::Change {
                account: &self.account,
                actor: &self.created_by,
                action: audit::Action::CheckpointActivate,
                target: self.id.as_str(),
                detail: json!({ "judge": self.judge.as_str(), "before": self.metrics.live, "automatic": true }),
            };
            audit::write(tx, change).await.map_err(failed)?;
        }
        enqueue_ended(db, tx, self.id.as_str()).await.map_err(failed)
    }
}

fn json(value: &impl Serialize) -> Result<String, DbErr> {
    serde_json::to_string(value).map_err(|error| DbErr::Custom(error.to_string()))
}

fn failed(error: Error) -> DbErr {
    DbErr::Custom(error.with_cause())
}
