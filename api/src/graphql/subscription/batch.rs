//! Subscriptions to bulk batches.

use async_graphql::{Context, ID, Result, Subscription};
use domain::{batch::BatchAccess, id::BatchId};
use futures_util::{StreamExt, stream::BoxStream};

use super::feed::AccountFeeds;
use crate::graphql::{
    context::{actor, services},
    error::{FieldResult, field_error},
    model::Batch,
};

#[derive(Default)]
pub(crate) struct BatchSubscription;

#[Subscription]
impl BatchSubscription {
    /// A bulk batch, each time some of its items have run, and when it has ended. Several changes within a short time may arrive
    /// as one.
    async fn batch_progress(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The batch's id.")] id: ID,
    ) -> Result<BoxStream<'static, FieldResult<Batch>>> {
        let (batches, actor) = (services(ctx)?.batches.clone(), actor(ctx)?);
        let (access, id) = (BatchAccess::of(actor), BatchId::parse(&id).map_err(field_error)?);
        // The stream begins before the batch is read, so that nothing is missed once the subscription has started.
        let progress = ctx.data::<AccountFeeds>()?.progress(&actor.account, id.to_string());
        batches.find(&access, &id).await.map_err(field_error)?;
        let read = move |permit| {
            let (batches, access, id) = (batches.clone(), access.clone(), id.clone());
            async move {
                let read = batches.find(&access, &id).await;
                drop(permit);
                read.map(Batch).map_err(field_error)
            }
        };
        Ok(progress.then(read).boxed())
    }
}
