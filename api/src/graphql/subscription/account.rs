//! Watching an account.

use async_graphql::{Context, Result, Subscription};
use domain::{account, events::Event};
use futures_util::{StreamExt, stream::BoxStream};

use super::event_stream::{StreamItem, event_stream};
use crate::graphql::{
    context::{actor, services},
    error::{FieldResult, field_error},
    model::Account,
};

/// Watching an account.
#[derive(Default)]
pub(crate) struct AccountSubscription;

#[Subscription]
impl AccountSubscription {
    /// The account, each time its balance or what is held of it has changed. Several changes in a short time may come as one.
    async fn balance_changed(&self, ctx: &Context<'_>) -> Result<BoxStream<'static, FieldResult<Account>>> {
        let (service, mine) = (services(ctx)?.clone(), actor(ctx)?.account.clone());
        let moved = event_stream(service.events.watch()).filter_map(move |item| {
            let concerns = match item {
                StreamItem::Event(Event::Balance { account }) => account == mine,
                StreamItem::Event(_) => false,
                StreamItem::Lagged => true,
            };
            let found = concerns.then(|| (service.db.clone(), mine.clone()));
            async move { found }
        });
        let read =
            |(db, mine)| async move { account::find(&db, &mine).await.map(Account).map_err(field_error) };
        Ok(moved.then(read).boxed())
    }
}
