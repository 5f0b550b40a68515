//! The jobs of a deployment, which are handed to the queue after their commit.

use std::sync::Arc;

use entity::job;
use sea_orm::{
    ColumnTrait, EntityTrait, QueryFilter,
    sea_query::{Expr, SimpleExpr},
};

use super::{JobQueue, JobState, Lane};
use crate::{Error, Result, foundation::database::Database};
use ports::id::JobId;

/// Jobs that one statement marks.
const MARKED_AT_ONCE: usize = 500;

/// The jobs of a deployment: their table, and the queue to the workers. Cheap to clone.
#[derive(Clone)]
pub struct Jobs {
    pub(super) db: Database,
    queue: Option<Arc<dyn JobQueue>>,
}

impl Jobs {
    /// Without a queue, workers find jobs in the table within a few seconds.
    pub fn new(db: Database, queue: Option<Arc<dyn JobQueue>>) -> Self {
        Self { db, queue }
    }

    /// The queue, if this process has one.
    pub fn queue(&self) -> Option<&dyn JobQueue> {
        self.queue.as_deref()
    }

    /// Hands committed jobs to the queue in the background. The outbox delivers later what the queue does not take.
    pub fn deliver(&self, lane: Lane, ids: Vec<JobId>) {
        if ids.is_empty() || self.queue.is_none() {
            return;
        }
        let jobs = self.clone();
        tokio::spawn(async move {
            if let Err(error) = jobs.deliver_now(lane, &ids).await {
                tracing::warn!(%error, lane = lane.as_str(), "could not deliver jobs; the outbox delivers them later");
            }
        });
    }

    pub(super) async fn deliver_now(&self, lane: Lane, ids: &[JobId]) -> Result<()> {
        let Some(queue) = &self.queue else { return Ok(()) };
        // Marked first: a fast worker may end the job before a later mark is written.
        self.mark(ids, Expr::cust(self.db.now_ms())).await?;
        match queue.push(lane, ids).await {
            Ok(()) => Ok(()),
            Err(error) => {
                self.mark(ids, Expr::value(Option::<i64>::None)).await?;
                Err(Error::internal(error))
            }
        }
    }

    /// Sets when queued jobs were delivered.
    async fn mark(&self, ids: &[JobId], delivered_at: SimpleExpr) -> Result<()> {
        for chunk in ids.chunks(MARKED_AT_ONCE) {
            job::Entity::update_many()
                .col_expr(job::Column::DeliveredAt, delivered_at.clone())
                .filter(job::Column::Id.is_in(chunk.iter().map(JobId::as_str)))
                .filter(job::Column::State.eq(JobState::Queued.as_str()))
                .exec(self.db.write())
                .await?;
        }
        Ok(())
    }
}
