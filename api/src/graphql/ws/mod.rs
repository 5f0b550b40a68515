//! `/graphql/ws`: subscriptions, in the protocol graphql-transport-ws
//! (<https://github.com/enisdenjo/graphql-ws/blob/master/PROTOCOL.md>), and in no other.

mod connection;
mod credential;
mod message;
mod upgrade;

pub(crate) use upgrade::upgrade;
