//! Subscriptions to what jobs work on: bulk batches, Checkpoints and evaluation runs.

use async_graphql::{Context, ID, Result, Subscription};
use domain::batch::BatchAccess;
use futures_util::{Stream, StreamExt, future, stream, stream::BoxStream};
use ports::id::{BatchId, CheckpointId, EvaluationId};

use super::feed::{AccountFeeds, Progress};
use crate::graphql::{
    context::{actor, services},
    error::{FieldResult, field_error},
    model::{Batch, Checkpoint, Evaluation},
};

#[derive(Default)]
pub(crate) struct ProgressSubscription;

#[Subscription]
impl ProgressSubscription {
    /// A bulk batch now, each time that some of its items have run, and when it ends; then the subscription completes.
    /// Several changes within a short time may arrive as one.
    async fn batch_progress(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The batch's id.")] id: ID,
    ) -> Result<BoxStream<'static, FieldResult<Batch>>> {
        let services = services(ctx)?;
        let actor = actor(ctx)?;
        let id = BatchId::parse(&id).map_err(field_error)?;
        // The stream begins before the first state is read, so that the end is not missed.
        let later = ctx.data::<AccountFeeds>()?.progress(&actor.account, id.to_string());
        let now = services.batches.find(&BatchAccess::of(actor), &id).await.map_err(field_error)?;
        let later = later.filter_map(|progress| {
            let Progress::Batch(batch) = progress else { return future::ready(None) };
            future::ready(Some(Batch((*batch).clone())))
        });
        Ok(until_its_end(Batch(now), later, |Batch(batch)| batch.finished_at.is_some()))
    }

    /// A Checkpoint now, each time that its training goes on, about once a second, and when it ends; then the
    /// subscription completes.
    async fn checkpoint_progress(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The Checkpoint's id.")] id: ID,
    ) -> Result<BoxStream<'static, FieldResult<Checkpoint>>> {
        let services = services(ctx)?;
        let mine = &actor(ctx)?.account;
        let id = CheckpointId::parse(&id).map_err(field_error)?;
        let later = ctx.data::<AccountFeeds>()?.progress(mine, id.to_string());
        let now = services.checkpoints.find(mine, &id).await.map_err(field_error)?;
        let later = later.filter_map(|progress| {
            let Progress::Checkpoint(checkpoint) = progress else { return future::ready(None) };
            future::ready(Some(Checkpoint((*checkpoint).clone())))
        });
        Ok(until_its_end(Checkpoint(now), later, |Checkpoint(checkpoint)| checkpoint.finished_at.is_some()))
    }

    /// An evaluation run now, each time that some of its samples have been answered, and when it ends; then the
    /// subscription completes.
    async fn evaluation_progress(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The evaluation run's id.")] id: ID,
    ) -> Result<BoxStream<'static, FieldResult<Evaluation>>> {
        let services = services(ctx)?;
        let mine = &actor(ctx)?.account;
        let id = EvaluationId::parse(&id).map_err(field_error)?;
        let later = ctx.data::<AccountFeeds>()?.progress(mine, id.to_string());
        let now = services.evaluations.find(mine, &id).await.map_err(field_error)?;
        let later = later.filter_map(|progress| {
            let Progress::Evaluation(evaluation) = progress else { return future::ready(None) };
            future::ready(Some(Evaluation((*evaluation).clone())))
        });
        Ok(until_its_end(Evaluation(now), later, |Evaluation(evaluation)| evaluation.finished_at.is_some()))
    }
}

/// The state now and those that follow, the last of which is the end.
fn until_its_end<T: Send + 'static>(
    now: T,
    later: impl Stream<Item = T> + Send + 'static,
    is_end: fn(&T) -> bool,
) -> BoxStream<'static, FieldResult<T>> {
    let states = stream::once(future::ready(now)).chain(later).boxed();
    stream::unfold(Some(states), move |states| async move {
        let mut states = states?;
        let state = states.next().await?;
        let rest = (!is_end(&state)).then_some(states);
        Some((Ok(state), rest))
    })
    .boxed()
}
