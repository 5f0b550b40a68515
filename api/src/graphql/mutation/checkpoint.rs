//! Mutations of Checkpoints.

use async_graphql::{Context, ID, InputObject, Object, SimpleObject};
use domain::learning::checkpoint::{self, NewCheckpoint};

use super::{id::parse_id, judge::JudgePayload};
use crate::graphql::{
    context::{actor, services},
    error::{FieldResult, UserError, split_user_errors},
    model::Checkpoint,
};

#[derive(Default)]
pub(crate) struct CheckpointMutation;

/// A Checkpoint to be trained.
#[derive(InputObject)]
struct SubmitCheckpointInput {
    /// The id of the Judge to train.
    judge_id: ID,
    /// Whether to activate the Checkpoint if it is better than the live model by a confidence bound, on a hold-out of
    /// at least 20 samples, or if it is no worse and improves the answers of a backend.
    #[graphql(default = false)]
    auto_activate: bool,
}

/// The Checkpoint to activate.
#[derive(InputObject)]
struct ActivateCheckpointInput {
    /// The Checkpoint's id.
    id: ID,
}

/// The Checkpoint to cancel.
#[derive(InputObject)]
struct CancelCheckpointInput {
    /// The Checkpoint's id.
    id: ID,
}

/// A Judge.
#[derive(InputObject)]
struct DeactivateCheckpointInput {
    /// The id of the Judge whose Checkpoint should stop answering.
    judge_id: ID,
}

/// The Checkpoint, or errors.
#[derive(SimpleObject)]
struct CheckpointPayload {
    /// The Checkpoint; null if nothing changed.
    checkpoint: Option<Checkpoint>,
    /// Errors in the input; empty if there are none.
    user_errors: Vec<UserError>,
}

impl CheckpointPayload {
    fn of(result: domain::Result<checkpoint::Checkpoint>) -> FieldResult<Self> {
        let (checkpoint, user_errors) = split_user_errors(result)?;
        Ok(Self { checkpoint: checkpoint.map(Checkpoint), user_errors })
    }
}

#[Object]
impl CheckpointMutation {
    /// Submits a Checkpoint of a Judge: what is labelled now is trained on by a worker, and compared with the live
    /// model on samples that are held out. Needs at least 8 labelled samples, and holds its price. A Judge has one open
    /// Checkpoint at most. Needs the role editor.
    async fn submit_checkpoint(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "What to train.")] input: SubmitCheckpointInput,
    ) -> FieldResult<CheckpointPayload> {
        let new = NewCheckpoint { judge: parse_id(&input.judge_id), auto_activate: input.auto_activate };
        CheckpointPayload::of(services(ctx)?.checkpoints.submit(actor(ctx)?, new, None).await)
    }

    /// Cancels a Checkpoint that is queued or running, and releases its credits: at once if it is queued, within
    /// seconds if it is running, unless it succeeds before. Needs the role editor.
    async fn cancel_checkpoint(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The Checkpoint to cancel.")] input: CancelCheckpointInput,
    ) -> FieldResult<CheckpointPayload> {
        let id = parse_id(&input.id);
        CheckpointPayload::of(services(ctx)?.checkpoints.cancel(actor(ctx)?, &id).await)
    }

    /// Lets a Checkpoint that has succeeded answer for its Judge, at once. An earlier one is rolled back to in the same
    /// way. Needs the role editor.
    async fn activate_checkpoint(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The Checkpoint to activate.")] input: ActivateCheckpointInput,
    ) -> FieldResult<CheckpointPayload> {
        let id = parse_id(&input.id);
        CheckpointPayload::of(services(ctx)?.checkpoints.activate(actor(ctx)?, &id).await)
    }

    /// Lets the base model answer for a Judge, without any Checkpoint, at once. Needs the role editor.
    async fn deactivate_checkpoint(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The Judge to roll back.")] input: DeactivateCheckpointInput,
    ) -> FieldResult<JudgePayload> {
        let id = parse_id(&input.judge_id);
        JudgePayload::of(services(ctx)?.checkpoints.deactivate(actor(ctx)?, &id).await)
    }
}
