//! Subscriptions to samples.

use async_graphql::{Context, ID, Result, Subscription};
use domain::{dataset, events::Event, id::JudgeId, judge};
use futures_util::{StreamExt, stream::BoxStream};

use super::event_stream::{StreamItem, event_stream};
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
        let (service, mine) = (services(ctx)?.clone(), actor(ctx)?.account.clone());
        // The stream begins before the Judge is read, so that nothing is missed once the subscription has started.
        let events = event_stream(service.events.watch());
        let wanted = JudgeId::parse(&judge_id).map_err(field_error)?;
        judge::find(&service.db, &mine, &wanted).await.map_err(field_error)?;
        let owner = mine.clone();
        let recorded = events.filter_map(move |item| {
            let recorded = match item {
                StreamItem::Event(Event::Sample { account, judge, sample })
                    if account == owner && judge == wanted =>
                {
                    Some(sample)
                }
                _ => None,
            };
            async move { recorded }
        });
        let read = move |sample| {
            let (db, mine) = (service.db.clone(), mine.clone());
            // A sample that was purged meanwhile is skipped.
            async move { dataset::find(&db, &mine, &sample).await.map(Sample).ok().map(Ok) }
        };
        Ok(recorded.filter_map(read).boxed())
    }
}
