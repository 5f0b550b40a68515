//! What the end of a training means: the Checkpoint's state, its hold, and the webhooks that report the end.

use async_trait::async_trait;
use entity::checkpoint;
use sea_orm::{ConnectionTrait, DatabaseTransaction};
use serde_json::{Value, json};

use super::{checkpoints::Checkpoints, store::Checkpoint};
use crate::{
    Result,
    background::{
        job::{self, Ending, Job, JobState, JobSubject},
        webhook::{self, EventType},
    },
    foundation::database::Database,
};

#[async_trait]
impl JobSubject for Checkpoints {
    async fn ended(&self, tx: &DatabaseTransaction, job: &Job, ending: &Ending) -> Result<()> {
        self.paid.release(tx, job).await?;
        if *ending == Ending::Succeeded {
            // The commit of the charge has ended the job and written the Checkpoint.
            return Ok(());
        }
        let state = ending.state().as_str();
        if job::end_subject::<checkpoint::Entity>(tx, &job.subject, state, ending.error()).await? {
            enqueue_ended(&self.paid.db, tx, &job.subject).await?;
        }
        Ok(())
    }

    fn announce(&self, job: &Job) {
        self.paid.publish_progress(job);
    }
}

/// Queues the webhooks of a Checkpoint that has just ended, on the transaction of its end.
pub(super) async fn enqueue_ended(db: &Database, tx: &impl ConnectionTrait, id: &str) -> Result<()> {
    let ended: Checkpoint = job::read_record(tx, id).await?;
    let event = match ended.state {
        JobState::Queued | JobState::Running => return Ok(()),
        JobState::Succeeded => EventType::CheckpointSucceeded,
        JobState::Failed => EventType::CheckpointFailed,
        JobState::Cancelled => EventType::CheckpointCancelled,
    };
    webhook::enqueue(db, tx, &ended.account, event, data(&ended)).await
}

fn data(ended: &Checkpoint) -> Value {
    let charged = if ended.state == JobState::Succeeded { ended.price.credits() } else { 0.0 };
    json!({
        "id": ended.id,
        "status": ended.state.as_str(),
        "judge_id": ended.judge,
        "judge_version": ended.version,
        "activated": ended.activated_at.is_some(),
        "credits_charged": charged,
        "error": ended.error,
        "created_at": ended.created_at,
        "started_at": ended.started_at,
        "finished_at": ended.finished_at,
    })
}
