//! The events of `domain::events` as a stream for one subscriber.

use domain::events::Event;
use futures_util::{Stream, stream};
use tokio::sync::broadcast::{Receiver, error::RecvError};

/// An item of the stream.
pub(super) enum StreamItem {
    Event(Event),
    /// The subscriber read too slowly, and events were dropped.
    Lagged,
}

/// The events of all accounts from now on.
pub(super) fn event_stream(watch: Receiver<Event>) -> impl Stream<Item = StreamItem> + Send + 'static {
    stream::unfold(watch, |mut watch| async move {
        match watch.recv().await {
            Ok(event) => Some((StreamItem::Event(event), watch)),
            Err(RecvError::Lagged(_)) => Some((StreamItem::Lagged, watch)),
            Err(RecvError::Closed) => None,
        }
    })
}
