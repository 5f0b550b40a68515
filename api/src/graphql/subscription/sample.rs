//! Watching a dataset.

use async_graphql::{Context, ID, Result, Subscription};
use domain::{dataset, events::Event, id::JudgeId, judge};
use futures_util::{StreamExt, stream::BoxStream};

use super::event_stream::{StreamItem, event_stream};
use crate::graphql::{
    context::{actor, services},
    error::{FieldResult, field_error},
    model::Sample,
};

/// Watching a dataset.
#[derive(Default)]
pub(crate) struct SampleSubscription;

#[Subscription]
impl SampleSubscription {
    /// Each sample of a Judge when it is recorded. A watcher that cannot keep up misses some.
    async fn sample_recorded(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The Judge in whose dataset it is.")] judge_id: ID,
    ) -> Result<BoxStream<'static, FieldResult<Sample>>> {
        let (service, mine) = (services(ctx)?.clone(), actor(ctx)?.account.clone());
        // From before the look at the Judge, so that nothing is missed once this is answered.
        let events = event_stream(service.events.watch());
        let wanted = JudgeId::sent(&judge_id).map_err(field_error)?;
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
            // One that was purged meanwhile is passed over.
            async move { dataset::find(&db, &mine, &sample).await.map(Sample).ok().map(Ok) }
        };
        Ok(recorded.filter_map(read).boxed())
    }
}
