//! Settings of webhooks, under their names in the settings file.

use serde::Deserialize;

/// Where webhooks may be sent, and for how long.
#[derive(Clone, Debug, Deserialize)]
pub struct WebhookSettings {
    /// Hosts and networks that endpoints may be on although they are private, in the form of `fetch_allow`. They may be http.
    pub webhook_allow: String,
    /// Seconds for one attempt, from the look-up of the name to the head of the answer.
    pub webhook_timeout_s: u64,
}

impl WebhookSettings {
    /// Checks the timeout against that of the job, 60 s.
    ///
    /// # Errors
    /// When it is not from 1 to 30 s.
    pub fn check(&self) -> Result<(), String> {
        match self.webhook_timeout_s {
            1..=30 => Ok(()),
            seconds => Err(format!("webhook_timeout_s must be from 1 to 30, not {seconds}")),
        }
    }
}
