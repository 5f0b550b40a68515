//! Subscriptions to Checkpoints.

use async_graphql::{Context, ID, Result, Subscription};
use domain::{checkpoint, id::CheckpointId, job::State};
use futures_util::{StreamExt, future, stream, stream::BoxStream};

use super::feed::AccountFeeds;
use crate::graphql::{
    context::{actor, services},
    error::{FieldResult, field_error},
    model::Checkpoint,
};

#[derive(Default)]
pub(crate) struct CheckpointSubscription;

#[Subscription]
impl CheckpointSubscription {
    /// A Checkpoint now, each time that its training goes on, about once a second, and when it ends; then the subscription
    /// completes.
    async fn checkpoint_progress(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The Checkpoint's id.")] id: ID,
    ) -> Result<BoxStream<'static, FieldResult<Checkpoint>>> {
        let (service, mine) = (services(ctx)?, &actor(ctx)?.account);
        let wanted = CheckpointId::parse(&id).map_err(field_error)?;
        // The stream begins before the Checkpoint is read, so that its end is not missed.
        let later = ctx.data::<AccountFeeds>()?.checkpoints(mine, wanted.clone());
        let now = checkpoint::find(&service.db, mine, &wanted).await.map_err(field_error)?;
        let mut ended = false;
        let until_its_end = stream::once(future::ready(now)).chain(later).take_while(move |checkpoint| {
            let open = matches!(checkpoint.state, State::Queued | State::Running);
            future::ready(!std::mem::replace(&mut ended, !open))
        });
        Ok(until_its_end.map(|checkpoint| Ok(Checkpoint(checkpoint))).boxed())
    }
}
