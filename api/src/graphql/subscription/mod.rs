//! What can be watched, one file a noun. Hints that something has happened come from `domain::events`; what is sent is read
//! anew, so that nobody is told what is no longer so.

mod account;
mod event_stream;
mod sample;

pub(super) use account::AccountSubscription;
pub(super) use sample::SampleSubscription;
