//! The settings of webhooks, named as in the settings file.

use serde::Deserialize;

use crate::settings::OutOfRange;

/// Where webhooks may be sent, and the timeout of an attempt.
#[derive(Clone, Debug, Deserialize)]
pub struct WebhookSettings {
    /// Private hosts and networks that may have endpoints, in the format of `fetch_allow`. Their URLs may be http.
    pub webhook_allow: String,
    /// The name servers that are asked, in the format of the same setting of pictures.
    pub name_servers: String,
    /// Timeout of an attempt in seconds, from the lookup of the name to the headers of the response.
    pub webhook_timeout_s: u64,
}

impl WebhookSettings {
    /// Checks that the timeout is below the job's timeout of 60 s.
    ///
    /// # Errors
    /// If it is not 1 to 30 s.
    pub fn check(&self) -> Result<(), OutOfRange> {
        OutOfRange::check("webhook_timeout_s", self.webhook_timeout_s, 30)
    }
}
