//! Watching an account.

use async_graphql::{Context, Result, Subscription};
use domain::{account, events::Event};
use futures_util::{StreamExt, stream::BoxStream};

use super::heard::{Heard, heard};
use crate::graphql::{
    error::{Fault, fault},
    model::Account,
    visitor::{actor, service},
};

/// Watching an account.
#[derive(Default)]
pub(crate) struct AccountSubscription;

#[Subscription]
impl AccountSubscription {
    /// The account, each time its balance or what is held of it has changed. Several changes in a short time may come as one.
    async fn balance_changed(&self, ctx: &Context<'_>) -> Result<BoxStream<'static, Fault<Account>>> {
        let (service, mine) = (service(ctx)?.clone(), actor(ctx)?.account.clone());
        let moved = heard(service.events.watch()).filter_map(move |heard| {
            let concerns = match heard {
                Heard::Event(Event::Balance { account }) => account == mine,
                Heard::Event(_) => false,
                Heard::Missed => true,
            };
            let found = concerns.then(|| (service.db.clone(), mine.clone()));
            async move { found }
        });
        let read = |(db, mine)| async move { account::find(&db, &mine).await.map(Account).map_err(fault) };
        Ok(moved.then(read).boxed())
    }
}
