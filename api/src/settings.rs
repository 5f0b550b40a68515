//! Settings of the HTTP API, under their names in the settings file.

use std::time::Duration;

use ipnet::IpNet;
use serde::{Deserialize, Deserializer, de::Error as _};

use crate::server::ConnectionLimits;

/// The settings of the HTTP API.
#[derive(Clone, Debug, Deserialize)]
pub struct ApiSettings {
    /// Bytes that the body of a request for one text may have.
    pub text_body_bytes: usize,
    /// Bytes that the body of a batch may have.
    pub batch_body_bytes: usize,
    /// Messages that a batch may have.
    pub batch_messages: usize,
    /// Bytes that the body of an image request may have.
    pub image_body_bytes: usize,
    /// Bytes that a picture may have.
    pub image_bytes: usize,
    /// Bytes that the body of an inference may have, compressed and decoded.
    pub inference_body_bytes: usize,
    /// Bytes that the body of a bulk batch may have.
    pub bulk_body_bytes: usize,
    /// Bytes that an imported file may have.
    pub import_body_bytes: usize,
    /// Bytes that the body of a GraphQL request may have.
    pub graphql_body_bytes: usize,
    /// How deep the fields of a GraphQL operation may be nested.
    pub graphql_depth: usize,
    /// The cost that a GraphQL operation may have: its fields, those of a list counted for each requested row.
    pub graphql_complexity: usize,
    /// Bytes that a GraphQL operation may read and return.
    pub graphql_operation_bytes: usize,
    /// Bytes that the GraphQL operations of an account may read and return at once; at least as many as one operation.
    pub graphql_account_bytes: usize,
    /// The longest that a GraphQL operation may take.
    #[serde(rename = "graphql_timeout_s", deserialize_with = "seconds")]
    pub graphql_timeout: Duration,
    /// Whether GraphQL introspection is enabled.
    pub graphql_introspection: bool,
    /// WebSockets open at once; more are answered 503.
    pub websockets: usize,
    /// Other origins whose pages may use the API and open WebSockets, such as `https://app.example.com`.
    #[serde(deserialize_with = "comma_separated")]
    pub allowed_origins: Vec<String>,
    /// Proxies whose `X-Forwarded-For` says which network a client belongs to.
    #[serde(deserialize_with = "networks")]
    pub trusted_proxies: Vec<IpNet>,
    /// Whether the session's cookie has the attribute `Secure` even when the request does not say that it came over
    /// HTTPS.
    pub secure_cookies: bool,
    /// Whether an unknown model name is an error on the compatibility routes too, instead of meaning the default
    /// model.
    pub strict_model_names: bool,
    /// Image requests that may hold a picture in memory at once; more wait.
    pub images_in_flight: usize,
    /// Concurrent requests, of which half may be of one account; more are answered 503.
    pub requests_in_flight: usize,
    /// Requests a minute of an account without a limit of its own; 0 is no limit.
    pub rate_limit_per_minute: u32,
    /// Connections open at once; an idle one is closed for a new one.
    pub connections: usize,
    /// Connections of one network open at once; trusted proxies may have all.
    pub connections_per_network: usize,
    /// Bytes of bodies that arrive at once, of which half may be of one account.
    pub arriving_bytes: usize,
    /// The longest that a request's head may take to arrive, and that a connection may be idle.
    #[serde(rename = "header_timeout_s", deserialize_with = "seconds")]
    pub header_timeout: Duration,
    /// The longest that requests in progress may take once shutdown has begun.
    #[serde(rename = "shutdown_grace_s", deserialize_with = "seconds")]
    pub shutdown_grace: Duration,
}

/// What is wrong with a setting.
#[derive(Debug, thiserror::Error)]
pub enum InvalidSetting {
    #[error("allowed_origins must be origins such as https://app.example.com, not `{0}`")]
    NotAnOrigin(String),
    #[error("arriving_bytes must be at least {least}, twice the largest body, not {value}")]
    ArrivingBytes { value: usize, least: usize },
}

impl ApiSettings {
    /// Validates the origins, which must be as browsers send them (a scheme and a host, and no path), and the settings
    /// that depend on others.
    ///
    /// # Errors
    /// Names the setting that is not valid.
    pub fn check(&self) -> Result<(), InvalidSetting> {
        if let Some(text) = self.allowed_origins.iter().find(|origin| !is_origin(origin)) {
            return Err(InvalidSetting::NotAnOrigin(text.clone()));
        }
        // One account may have half of them.
        let least = 2 * self.largest_whole_body();
        if self.arriving_bytes < least {
            return Err(InvalidSetting::ArrivingBytes { value: self.arriving_bytes, least });
        }
        Ok(())
    }

    /// Bytes of the largest body that a route holds in memory whole.
    fn largest_whole_body(&self) -> usize {
        let most = [
            self.text_body_bytes,
            self.batch_body_bytes,
            self.image_body_bytes,
            self.inference_body_bytes,
            self.graphql_body_bytes,
        ];
        most.into_iter().fold(0, usize::max)
    }

    /// Limits of the connections to the server.
    pub fn connection_limits(&self) -> ConnectionLimits {
        ConnectionLimits {
            connections: self.connections,
            per_network: self.connections_per_network,
            trusted_proxies: self.trusted_proxies.clone().into(),
            header_timeout: self.header_timeout,
            grace: self.shutdown_grace,
        }
    }
}

fn is_origin(text: &str) -> bool {
    let host = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    host.is_some_and(|host| !host.is_empty() && !host.contains(['/', '?', '#', '@', ' ']))
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

/// Networks such as `10.0.0.0/8`, and addresses, which are networks of one.
fn networks<'de, D: Deserializer<'de>>(value: D) -> Result<Vec<IpNet>, D::Error> {
    let mut networks = Vec::new();
    for text in comma_separated(value)? {
        let network = text.parse::<std::net::IpAddr>().map(IpNet::from).or_else(|_| text.parse());
        networks.push(network.map_err(|_| {
            D::Error::custom(format!("trusted_proxies must be networks such as 10.0.0.0/8, not `{text}`"))
        })?);
    }
    Ok(networks)
}
