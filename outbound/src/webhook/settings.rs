//! The settings of webhooks, named as in the settings file.

use serde::Deserialize;

/// Where webhooks may be sent, and the timeout of an attempt.
#[derive(Clone, Debug, Deserialize)]
pub struct WebhookSettings {
    /// Private hosts and networks that may have endpoints, in the format of `fetch_allow`. Their URLs may be http.
    pub webhook_allow: String,
    /// The name servers that are asked, in the format of `FetchSettings::name_servers`.
    pub name_servers: String,
    /// Timeout of an attempt in seconds, from the lookup of the name to the headers of the response. Below the job's
    /// timeout of 60 s.
    pub webhook_timeout_s: u64,
}
