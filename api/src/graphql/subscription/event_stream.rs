//! Events as a stream for one watcher.

use domain::events::Event;
use futures_util::{Stream, stream};
use tokio::sync::broadcast::{Receiver, error::RecvError};

/// Something a watcher should look at.
pub(super) enum StreamItem {
    /// What happened.
    Event(Event),
    /// More happened than the watcher kept up with; what it was is not known any more.
    Lagged,
}

/// What happens from now on, whoever's it is.
pub(super) fn event_stream(watch: Receiver<Event>) -> impl Stream<Item = StreamItem> + Send + 'static {
    stream::unfold(watch, |mut watch| async move {
        match watch.recv().await {
            Ok(event) => Some((StreamItem::Event(event), watch)),
            Err(RecvError::Lagged(_)) => Some((StreamItem::Lagged, watch)),
            Err(RecvError::Closed) => None,
        }
    })
}
