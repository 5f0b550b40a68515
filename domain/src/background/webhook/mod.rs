//! Webhooks after Standard Webhooks 1.0: events of an account, signed and sent to the endpoints that it has registered.
//!
//! For each endpoint, a delivery and its job are inserted in the transaction of what the event reports. A delivery is
//! sent at least once; a receiver recognises a repeated event by its id.

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
