//! Sends webhooks: one POST, without redirects, to a host that [`crate::egress`] allows.

mod sender;
mod settings;
#[cfg(test)]
mod tests;

pub use sender::Sender;
pub use settings::WebhookSettings;
