//! `/graphql/ws`: subscriptions over the protocol graphql-transport-ws
//! (<https://github.com/enisdenjo/graphql-ws/blob/master/PROTOCOL.md>), and over no other.

mod connection;
mod credential;
mod message;
mod task;
mod upgrade;

pub(crate) use upgrade::upgrade;
