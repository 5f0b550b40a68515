//! The subscriptions, one file a noun. `domain::events` only tells that something has changed; what is sent is read from the
//! database, and so up to date.

mod account;
mod event_stream;
mod sample;

pub(super) use account::AccountSubscription;
pub(super) use sample::SampleSubscription;
