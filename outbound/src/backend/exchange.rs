//! One HTTP request and its response, which is parsed or classified as a fault. Response bodies are bounded.

use std::time::Duration;

use ports::EngineError;
use reqwest::RequestBuilder;
use serde::de::DeserializeOwned;

use super::wire::Refusal;
use crate::{retry_after::retry_after, trace_context::trace_headers};

/// The largest response body, in bytes. Our requests cause at most 1 MiB.
const MAX_BYTES: usize = 4 << 20;
/// Limits on reading the body of an error.
const MAX_ERROR_BYTES: usize = 64 << 10;
const ERROR_BODY_TIMEOUT: Duration = Duration::from_secs(1);

/// Why a request failed. Its messages contain nothing from the request, and only the status from the response.
#[derive(Debug)]
pub(super) enum Fault {
    /// The connection failed or broke off.
    Connection(String),
    /// A status other than 200.
    Status {
        status: u16,
        /// From the header.
        retry_after: Option<Duration>,
        /// For searching only, never shown.
        body: String,
    },
    /// Over [`MAX_BYTES`].
    TooLong,
    /// Not JSON, or JSON of another shape.
    Unreadable(String),
    TimedOut,
}

/// Sends a request and parses the response.
pub(super) async fn send<T: DeserializeOwned>(request: RequestBuilder) -> Result<T, Fault> {
    let body = receive(request).await?;
    serde_json::from_slice(&body).map_err(|error| match serde_json::from_slice::<Refusal>(&body) {
        Ok(refusal) => Fault::Status { status: refusal.status(), retry_after: None, body: String::new() },
        // serde's messages repeat values.
        Err(_) => {
            let line = error.line();
            let column = error.column();
            Fault::Unreadable(format!("{:?} error at line {line}, column {column}", error.classify()))
        }
    })
}

/// Sends a request and reads the body of a response with status 200.
pub(super) async fn receive(request: RequestBuilder) -> Result<Vec<u8>, Fault> {
    let mut response = request.headers(trace_headers()).send().await.map_err(connection_fault)?;
    let status = response.status().as_u16();
    if status != 200 {
        let retry_after = retry_after(response.headers());
        let read = tokio::time::timeout(ERROR_BODY_TIMEOUT, body(&mut response, MAX_ERROR_BYTES)).await;
        let bytes = read.ok().and_then(Result::ok).unwrap_or_default();
        return Err(Fault::Status {
            status,
            retry_after,
            body: String::from_utf8_lossy(&bytes).into_owned(),
        });
    }
    body(&mut response, MAX_BYTES).await
}

async fn body(response: &mut reqwest::Response, limit: usize) -> Result<Vec<u8>, Fault> {
    if response.content_length().is_some_and(|length| length > limit as u64) {
        return Err(Fault::TooLong);
    }
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(connection_fault)? {
        if body.len() + chunk.len() > limit {
            return Err(Fault::TooLong);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

/// The innermost cause, without the URL, which may contain a password.
fn connection_fault(error: reqwest::Error) -> Fault {
    let error = error.without_url();
    let mut reason: &(dyn std::error::Error + 'static) = &error;
    while let Some(inner) = reason.source() {
        reason = inner;
    }
    Fault::Connection(reason.to_string())
}

impl Fault {
    /// Whether a retry may succeed.
    pub(super) fn is_transient(&self) -> bool {
        match self {
            Fault::Connection(_) => true,
            Fault::Status { .. } if self.is_too_long() => false,
            Fault::Status { status, .. } => matches!(status, 408 | 429 | 500..),
            Fault::TooLong | Fault::Unreadable(_) | Fault::TimedOut => false,
        }
    }

    /// How long the server asks us to wait before a retry.
    pub(super) fn retry_after(&self) -> Option<Duration> {
        match self {
            Fault::Status { retry_after, .. } => *retry_after,
            _ => None,
        }
    }

    /// Whether the server is to blame, and not this request: the connection failed or it answered 5xx. `None` if that
    /// is unknown, as for a timeout; otherwise one client's long requests could open the breaker for everybody.
    pub(super) fn is_outage(&self) -> Option<bool> {
        match self {
            Fault::Connection(_) => Some(true),
            // Some servers answer 500 to what does not fit their model's context.
            Fault::Status { status, .. } => Some(*status >= 500 && !self.is_too_long()),
            Fault::TooLong | Fault::Unreadable(_) => Some(false),
            Fault::TimedOut => None,
        }
    }

    /// Whether the server works and refused only this request.
    pub(super) fn is_request_error(&self) -> bool {
        matches!(self, Fault::Status { status: 400 | 404 | 413 | 415 | 422, .. })
    }

    /// Whether the server said that the request does not fit its model's context.
    pub(super) fn is_too_long(&self) -> bool {
        let Fault::Status { status: 400 | 413 | 422 | 500, body, .. } = self else { return false };
        let said = body.to_ascii_lowercase();
        said.contains("context")
            && ["length", "window", "size", "exceed", "too long"].iter().any(|word| said.contains(word))
    }

    /// What the server said when it refused the request.
    pub(super) fn refusal(&self) -> Option<&str> {
        match self {
            Fault::Status { body, .. } if self.is_request_error() => Some(body),
            _ => None,
        }
    }

    /// Whether the server refused the request with a message that contains `word`.
    pub(super) fn rejects(&self, word: &str) -> bool {
        matches!(self, Fault::Status { body, .. } if self.is_request_error() && body.contains(word))
    }

    /// The message for the log. `key` is the name of the setting that holds our key.
    pub(super) fn to_engine_error(&self, backend: &str, key: &str) -> EngineError {
        EngineError(match self {
            Fault::Connection(reason) => format!("the connection to {backend} failed: {reason}"),
            Fault::Status { status: status @ (401 | 403), .. } => {
                format!("{backend} answered {status}: the key was rejected; see the setting {key}")
            }
            Fault::Status { status: 402, .. } => {
                format!("{backend} answered 402: the account of the key in {key} has no money left")
            }
            Fault::Status { status, .. } => format!("{backend} answered {status}"),
            Fault::TooLong => format!("{backend} answered with more than {MAX_BYTES} bytes"),
            Fault::Unreadable(reason) => {
                format!("{backend} sent an invalid response: {reason}")
            }
            Fault::TimedOut => format!("{backend} did not answer in time"),
        })
    }

    /// The label in metrics.
    pub(super) fn label(&self) -> String {
        match self {
            Fault::Connection(_) => "broken".to_owned(),
            Fault::Status { status, .. } => status.to_string(),
            Fault::TooLong | Fault::Unreadable(_) => "unreadable".to_owned(),
            Fault::TimedOut => "slow".to_owned(),
        }
    }
}
