//! Sends webhooks: one POST to a host that [`crate::egress`] allows, without following redirects.

mod sender;
mod settings;
#[cfg(test)]
mod tests;

pub use sender::Sender;
pub use settings::WebhookSettings;
