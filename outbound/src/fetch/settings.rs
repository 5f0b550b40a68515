//! The settings of downloads, named as in the settings file.

use std::time::Duration;

use serde::{Deserialize, Deserializer};

/// Which hosts may be reached, for how long, and how large an image may be.
#[derive(Clone, Debug, Deserialize)]
pub struct FetchSettings {
    /// Private hosts and networks that may be reached, on any port, separated by commas or spaces, such as
    /// `10.0.0.0/8, [::1], images.internal, *.corp.example`.
    #[serde(rename = "fetch_allow")]
    pub allow: String,
    /// The name servers that are asked, separated by commas or spaces, such as `10.0.0.53, [::1]:5353`; those of
    /// `/etc/resolv.conf` if empty.
    pub name_servers: String,
    /// From the first lookup to the last byte, including redirects. Below a request's deadline of 60 s and the 30 s
    /// lease on its `Idempotency-Key`.
    #[serde(rename = "fetch_timeout_s", deserialize_with = "seconds")]
    pub timeout: Duration,
    /// The largest body, in bytes.
    #[serde(rename = "image_bytes")]
    pub max_bytes: usize,
}

fn seconds<'de, D: Deserializer<'de>>(value: D) -> Result<Duration, D::Error> {
    u64::deserialize(value).map(Duration::from_secs)
}
