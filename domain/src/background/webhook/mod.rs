//! Webhooks in the form of Standard Webhooks 1.0: events of an account, signed and sent to the endpoints that it has
//! registered.
//!
//! A delivery and its job are inserted in the transaction of what the event tells of, one for each endpoint. It is sent at
//! least once: a receiver knows an event that comes twice by its id.

mod deliver_job;
mod delivery;
mod endpoint;
mod event;
mod manage;
mod prune;
mod secret;
mod send;
mod sender;
mod webhooks;

pub use deliver_job::DeliverWebhook;
pub use delivery::{DeliveryState, WebhookDelivery};
pub use endpoint::WebhookEndpoint;
pub use event::EventType;
pub use manage::{EndpointChange, NewEndpoint};
pub use prune::prune;
pub use secret::SigningSecret;
pub(crate) use send::enqueue;
pub use sender::{Answer, Message, NoAnswer, WebhookSender};
pub use webhooks::Webhooks;
