//! The port that sends messages to endpoints. The adapter decides how, and to which hosts.

use std::time::Duration;

use async_trait::async_trait;
use url::Url;

use crate::Result;
use ports::Flow;

/// A signed message.
#[derive(Clone, Debug)]
pub struct Message {
    /// The account's.
    pub flow: Flow,
    /// The endpoint's URL.
    pub url: String,
    /// The id of the event, the same in all attempts.
    pub id: String,
    /// The time of this attempt, in seconds since 1970.
    pub timestamp: i64,
    /// The signatures, separated by spaces.
    pub signature: String,
    /// JSON.
    pub body: String,
}

/// The answer of an endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// How long it asks to wait before the next attempt.
    pub retry_after: Option<Duration>,
}

/// Why an endpoint gave no answer: a sentence for the account that reveals nothing about the network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoAnswer(pub String);

/// Sends messages.
#[async_trait]
pub trait WebhookSender: Send + Sync + 'static {
    /// Parses an endpoint's URL from `field`. Makes no DNS query.
    ///
    /// # Errors
    /// `VALIDATION_FAILED` when it is not a URL that may be sent to.
    fn parse(&self, field: &str, url: &str) -> Result<Url>;

    /// Sends a message, once. Redirects are not followed.
    ///
    /// # Errors
    /// When there is no answer in time, or the URL may not be sent to.
    async fn send(&self, message: Message) -> Result<Answer, NoAnswer>;
}
