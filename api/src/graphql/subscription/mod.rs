//! The subscriptions, one file a noun. `domain::foundation::events` only tells that something has changed; what is sent
//! is read from the database, and so up to date, once for all who watch.

mod account;
mod feed;
mod progress;
mod sample;

pub(super) use account::AccountSubscription;
pub(super) use feed::AccountFeeds;
pub(super) use progress::ProgressSubscription;
pub(super) use sample::SampleSubscription;
