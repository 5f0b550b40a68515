//! The webhooks that tell of a Checkpoint's end.

use sea_orm::ConnectionTrait;
use serde_json::{Value, json};

use super::store::{Checkpoint, read};
use crate::{
    Result,
    background::{
        job::State,
        webhook::{self, EventType},
    },
    foundation::database::Database,
};
use ports::id::CheckpointId;

/// Queues the webhooks of a Checkpoint that has just ended, on the transaction of its end.
pub(super) async fn enqueue_ended(db: &Database, tx: &impl ConnectionTrait, id: &CheckpointId) -> Result<()> {
    let ended = read(tx, id).await?;
    let event = match ended.state {
        State::Queued | State::Running => return Ok(()),
        State::Succeeded => EventType::CheckpointSucceeded,
        State::Failed => EventType::CheckpointFailed,
        State::Cancelled => EventType::CheckpointCancelled,
    };
    webhook::enqueue(db, tx, &ended.account, event, data(&ended)).await
}

fn data(ended: &Checkpoint) -> Value {
    let charged = if ended.state == State::Succeeded { ended.price.credits() } else { 0.0 };
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
