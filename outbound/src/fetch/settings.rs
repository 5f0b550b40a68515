//! Settings of downloads, under their names in the settings file.

use std::time::Duration;

use serde::{Deserialize, Deserializer};

/// How far and for how long a download may go.
#[derive(Clone, Debug, Deserialize)]
pub struct FetchSettings {
    /// Hosts and networks that may be reached although they are private, separated by commas or spaces, such as
    /// `10.0.0.0/8, [::1], images.internal, *.corp.example`. Any port of theirs.
    #[serde(rename = "fetch_allow")]
    pub allow: String,
    /// From the first look-up to the last byte, redirects included.
    #[serde(rename = "fetch_timeout_s", deserialize_with = "seconds")]
    pub timeout: Duration,
    /// The longest body, in bytes.
    #[serde(rename = "image_bytes")]
    pub max_bytes: usize,
}

impl FetchSettings {
    /// Checks the timeout against a request's deadline of 60 s and the lease of 30 s on its `Idempotency-Key`.
    ///
    /// # Errors
    /// When it is not from 1 to 25 s.
    pub fn check(&self) -> Result<(), String> {
        match self.timeout.as_secs() {
            1..=25 => Ok(()),
            seconds => Err(format!("fetch_timeout_s must be from 1 to 25, not {seconds}")),
        }
    }
}

fn seconds<'de, D: Deserializer<'de>>(value: D) -> Result<Duration, D::Error> {
    u64::deserialize(value).map(Duration::from_secs)
}
