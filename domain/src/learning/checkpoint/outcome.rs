//! A Checkpoint that succeeded, written in the commit of its charge: artefact, metrics, state, and its activation.

use async_trait::async_trait;
use chrono::Utc;
use entity::checkpoint;
use sea_orm::{ColumnTrait, DatabaseTransaction, DbErr, EntityTrait, QueryFilter, sea_query::Expr};
use serde_json::json;

use super::{Metrics, activate, artefacts, ended_event::enqueue_ended};
use crate::{
    Error,
    background::job::State,
    foundation::{
        audit,
        database::Database,
        events::{Event, Events},
    },
    money::credits::{PostedEntry, SideRow, SideTable},
};
use ports::id::{AccountId, CheckpointId, JudgeId};
use ports::training::TrainingReport;

/// A Checkpoint that succeeded.
#[derive(Debug)]
pub(super) struct Outcome {
    pub(super) id: CheckpointId,
    pub(super) account: AccountId,
    pub(super) judge: JudgeId,
    /// Who submitted it.
    pub(super) created_by: String,
    pub(super) artefact: Vec<u8>,
    pub(super) sha256: String,
    pub(super) backbone: String,
    pub(super) metrics: Metrics,
    pub(super) report: TrainingReport,
}

/// Writes the outcomes of trainings with their charges.
pub struct CheckpointTable {
    pub db: Database,
    /// Receives the Checkpoints that have ended.
    pub events: Events,
}

#[async_trait]
impl SideTable for CheckpointTable {
    async fn write(&self, tx: &DatabaseTransaction, posted: &[PostedEntry<'_>]) -> Result<(), DbErr> {
        for row in posted.iter().flat_map(|posted| &posted.entry.side_rows) {
            if let Some(outcome) = row.downcast_ref::<Outcome>() {
                outcome.write(&self.db, tx).await?;
            }
        }
        Ok(())
    }

    fn bytes(&self, row: &SideRow) -> usize {
        row.downcast_ref::<Outcome>().map_or(0, |outcome| outcome.artefact.len() + 64 * 1_024)
    }

    async fn delete_refunded(&self, _: &DatabaseTransaction, _: &[&str]) -> Result<(), DbErr> {
        Ok(())
    }

    fn announce(&self, account: &AccountId, row: &SideRow) {
        if let Some(Outcome { id, .. }) = row.downcast_ref() {
            self.events.publish(Event::Progress { account: account.clone(), subject: id.to_string() });
        }
    }
}

impl Outcome {
    async fn write(&self, db: &Database, tx: &DatabaseTransaction) -> Result<(), DbErr> {
        let json = |value: Result<String, serde_json::Error>| {
            value.map_err(|error| DbErr::Custom(error.to_string()))
        };
        artefacts::write(tx, &self.sha256, &self.artefact).await?;
        let succeeded = checkpoint::Entity::update_many()
            .col_expr(checkpoint::Column::State, Expr::value(State::Succeeded.as_str()))
            .col_expr(checkpoint::Column::Progress, Expr::value(1.0))
            .col_expr(checkpoint::Column::Metrics, Expr::value(json(serde_json::to_string(&self.metrics))?))
            .col_expr(checkpoint::Column::Report, Expr::value(json(serde_json::to_string(&self.report))?))
            .col_expr(checkpoint::Column::Artefact, Expr::value(self.sha256.as_str()))
            .col_expr(checkpoint::Column::Backbone, Expr::value(self.backbone.as_str()))
            .col_expr(checkpoint::Column::FinishedAt, Expr::value(Utc::now()))
            .filter(checkpoint::Column::Id.eq(self.id.as_str()))
            .filter(checkpoint::Column::State.eq(State::Running.as_str()))
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
        enqueue_ended(db, tx, &self.id).await.map_err(failed)
    }
}

fn failed(error: Error) -> DbErr {
    DbErr::Custom(error.with_cause())
}
