//! Mutations of bulk batches. Larger ones are submitted over REST, by the same rules.

use std::io::Cursor;

use async_graphql::{Context, ID, InputObject, Object, SimpleObject};
use domain::{
    batch::{BatchAccess, Format, SubmitOptions, Submitter},
    foundation::actor::Role,
    money::billing::FinishFlag,
};
use ports::id::BatchId;

use crate::graphql::{
    context::{actor, services},
    error::{FieldResult, UserError, split_user_errors},
    model::Batch,
};

#[derive(Default)]
pub(crate) struct BatchMutation;

/// A batch to submit.
#[derive(InputObject)]
struct SubmitBatchInput {
    /// The items as JSON Lines: `{"custom_id": .., "method": "POST", "url": .., "body": ..}` on each line.
    data: String,
}

/// A batch to cancel.
#[derive(InputObject)]
struct CancelBatchInput {
    /// The id of the batch.
    id: ID,
}

/// The batch, or errors.
#[derive(SimpleObject)]
struct SubmitBatchPayload {
    /// The batch; null if there were errors.
    batch: Option<Batch>,
    /// Errors by line, up to 100, with fields such as `line 17: body.content`.
    user_errors: Vec<UserError>,
}

/// The cancelled batch, or errors.
#[derive(SimpleObject)]
struct CancelBatchPayload {
    /// The batch; null if there were errors.
    batch: Option<Batch>,
    /// What is wrong with the input.
    user_errors: Vec<UserError>,
}

#[Object]
impl BatchMutation {
    /// Submits a bulk batch: all of it, or nothing if there are errors. Holds the credits for all items until it ends.
    /// Needs the role editor; an API key also needs the scope of each item.
    async fn submit_batch(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The batch.")] input: SubmitBatchInput,
    ) -> FieldResult<SubmitBatchPayload> {
        let service = services(ctx)?;
        let actor = actor(ctx)?;
        let submit = async {
            let submitter = Submitter::actor(&service.db, actor).await?;
            let finish = FinishFlag::default();
            let options = SubmitOptions { format: Format::Jsonl, once: None, finish };
            service.batches.submit(submitter, options, Cursor::new(input.data.into_bytes())).await
        };
        let (batch, user_errors) = split_user_errors(submit.await)?;
        Ok(SubmitBatchPayload { batch: batch.map(Batch), user_errors })
    }

    /// Cancels a bulk batch. What has run stays and is charged; the credits held for the rest are released. Needs the
    /// role editor.
    async fn cancel_batch(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The batch.")] input: CancelBatchInput,
    ) -> FieldResult<CancelBatchPayload> {
        let service = services(ctx)?;
        let actor = actor(ctx)?;
        let cancel = async {
            actor.require(Role::Editor)?;
            service.batches.cancel(&BatchAccess::of(actor), &BatchId::parse(&input.id)?).await
        };
        let (batch, user_errors) = split_user_errors(cancel.await)?;
        Ok(CancelBatchPayload { batch: batch.map(Batch), user_errors })
    }
}
