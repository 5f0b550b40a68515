//! Sends spans to a collector: the HTTP client of OTLP's exporter.

use std::time::Duration;

use async_trait::async_trait;
use bytes::{Bytes, BytesMut};
use opentelemetry_http::{HttpClient, HttpError, Request, Response};
use tokio::runtime::Handle;

use crate::tls;

/// The largest response that is read. A collector's has some bytes.
const MAX_BYTES: usize = 64 << 10;

/// A client of a collector.
#[derive(Debug)]
pub struct Collector {
    http: reqwest::Client,
    runtime: Handle,
}

impl Collector {
    /// A client whose requests run on the current Tokio runtime, and take at most `timeout`.
    ///
    /// # Errors
    /// If TLS cannot be set up.
    pub fn new(timeout: Duration) -> Result<Self, reqwest::Error> {
        let http = reqwest::Client::builder()
            .user_agent(concat!("gavel/", env!("CARGO_PKG_VERSION")))
            .tls_backend_preconfigured(tls::client_config())
            .redirect(reqwest::redirect::Policy::none())
            .no_proxy()
            .timeout(timeout)
            .build()?;
        Ok(Self { http, runtime: Handle::current() })
    }
}

#[async_trait]
impl HttpClient for Collector {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let http = self.http.clone();
        // The exporter calls from a thread of its own, outside the runtime.
        self.runtime.spawn(async move { send(&http, request).await }).await?
    }
}

async fn send(http: &reqwest::Client, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
    let mut answer = http.execute(request.try_into()?).await?;
    let mut body = BytesMut::new();
    while let Some(chunk) = answer.chunk().await? {
        if body.len() + chunk.len() > MAX_BYTES {
            return Err("the collector's response is too long".into());
        }
        body.extend_from_slice(&chunk);
    }
    let mut response = Response::new(body.freeze());
    *response.status_mut() = answer.status();
    *response.headers_mut() = answer.headers().clone();
    Ok(response)
}
