//! What an operator can set about the HTTP surface, under the names that the settings file has.

use std::time::Duration;

use serde::{Deserialize, Deserializer};

use crate::server::ConnectionLimits;

/// What an operator can set about the HTTP surface.
#[derive(Clone, Debug, Deserialize)]
pub struct Settings {
    /// Bytes a single text moderation body may have.
    pub text_body_bytes: usize,
    /// Bytes a batch body may have.
    pub batch_body_bytes: usize,
    /// Messages a batch may have.
    pub batch_messages: usize,
    /// Bytes the body of an image request may have.
    pub image_body_bytes: usize,
    /// Bytes a picture may have.
    pub image_bytes: usize,
    /// Bytes the body of an inference may have, before and after it is unpacked.
    pub inference_body_bytes: usize,
    /// Bytes a file of samples may have.
    pub import_body_bytes: usize,
    /// Bytes the body of a GraphQL request may have.
    pub graphql_body_bytes: usize,
    /// Fields within fields that a GraphQL operation may ask for.
    pub graphql_depth: usize,
    /// Fields that a GraphQL operation may ask for, those of a list's rows as often as rows were asked for.
    pub graphql_complexity: usize,
    /// How long a GraphQL operation may take.
    #[serde(rename = "graphql_timeout_s", deserialize_with = "seconds")]
    pub graphql_timeout: Duration,
    /// Whether the GraphQL schema can be asked for.
    pub graphql_introspection: bool,
    /// WebSockets open at once; more are answered 503.
    pub websockets: usize,
    /// Origins other than our own whose pages may open WebSockets, such as `https://app.example.com`.
    #[serde(deserialize_with = "comma_separated")]
    pub allowed_origins: Vec<String>,
    /// Whether the session's cookie is for https alone, also where a request does not say that it came by it.
    pub secure_cookies: bool,
    /// Whether an unknown model name is an error on the compatibility routes too, in place of meaning the default.
    pub strict_model_names: bool,
    /// Image requests that may hold a picture in memory at once; more wait.
    pub images_in_flight: usize,
    /// Requests worked on at once; more are answered 503.
    pub requests_in_flight: usize,
    /// Requests a minute for a key with no limit of its own or its account's; 0 is no limit.
    pub rate_limit_per_minute: u32,
    /// Connections open at once; more wait to be accepted.
    pub connections: usize,
    /// The longest a request's head may take to arrive, which is also the longest a connection may idle.
    #[serde(rename = "header_timeout_s", deserialize_with = "seconds")]
    pub header_timeout: Duration,
    /// How long requests under way may take once the process was told to end.
    #[serde(rename = "shutdown_grace_s", deserialize_with = "seconds")]
    pub shutdown_grace: Duration,
}

impl Settings {
    /// Whether all origins are as browsers write them: a scheme and a host, and no path.
    ///
    /// # Errors
    /// Naming the setting that is not valid.
    pub fn check(&self) -> Result<(), String> {
        let is_origin = |text: &str| {
            let host = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
            host.is_some_and(|host| !host.is_empty() && !host.contains(['/', '?', '#', '@', ' ']))
        };
        match self.allowed_origins.iter().find(|origin| !is_origin(origin)) {
            Some(text) => {
                Err(format!("allowed_origins must be origins such as https://app.example.com, not `{text}`"))
            }
            None => Ok(()),
        }
    }

    /// Limits of the connections to the server.
    pub fn connection_limits(&self) -> ConnectionLimits {
        ConnectionLimits {
            connections: self.connections,
            header_timeout: self.header_timeout,
            grace: self.shutdown_grace,
        }
    }
}

fn seconds<'de, D: Deserializer<'de>>(value: D) -> Result<Duration, D::Error> {
    u64::deserialize(value).map(Duration::from_secs)
}

/// In lower case, as browsers send origins.
fn comma_separated<'de, D: Deserializer<'de>>(value: D) -> Result<Vec<String>, D::Error> {
    let list = String::deserialize(value)?;
    let items = list.split(',').map(str::trim).filter(|item| !item.is_empty());
    Ok(items.map(str::to_ascii_lowercase).collect())
}
