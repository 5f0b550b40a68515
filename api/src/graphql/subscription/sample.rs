//! Subscriptions to samples.

use async_graphql::{Context, ID, Result, Subscription};
use futures_util::{StreamExt, stream::BoxStream};
use ports::id::DatasetId;

use super::feed::AccountFeeds;
use crate::graphql::{
    context::{actor, services},
    error::{FieldResult, field_error},
    model::Sample,
};

#[derive(Default)]
pub(crate) struct SampleSubscription;

#[Subscription]
impl SampleSubscription {
    /// Each sample of a Judge when it is recorded. A client that reads too slowly misses some.
    async fn sample_recorded(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The id of the Judge whose dataset gets the samples.")] judge_id: ID,
    ) -> Result<BoxStream<'static, FieldResult<Sample>>> {
        let service = services(ctx)?;
        let mine = &actor(ctx)?.account;
        let wanted = DatasetId::parse(&judge_id).map_err(field_error)?;
        // The stream begins before the Judge is read, so that nothing is missed once the subscription has started.
        let samples = ctx.data::<AccountFeeds>()?.samples(mine, wanted.clone());
        service.datasets.find_owner(mine, &wanted).await.map_err(field_error)?;
        Ok(samples.map(|sample| Ok(Sample(sample))).boxed())
    }
}
