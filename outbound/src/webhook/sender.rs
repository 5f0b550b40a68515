//! Sends signed messages. The response's body is not read.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use domain::{
    Error, Result,
    background::webhook::{Answer, Message, NoAnswer, WebhookSender},
};
use reqwest::header::CONTENT_TYPE;
use url::Url;

use super::settings::WebhookSettings;
use crate::{
    egress::{AllowList, Fault, Hosts, MAX_URL_BYTES, Refusal, Resolver, SystemResolver, fault},
    retry_after::retry_after,
    trace_context::trace_headers,
};

/// The timeout for connecting.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// Sends webhooks. Cheap to clone.
#[derive(Clone)]
pub struct Sender {
    hosts: Arc<Hosts>,
    timeout: Duration,
}

/// Why a webhook's URL is refused; the message follows the URL's name.
#[derive(Debug, thiserror::Error)]
enum UrlError {
    #[error("must be an https URL")]
    NotHttps,
    #[error("{}", .0.message("webhooks"))]
    Refused(Refusal),
}

impl Sender {
    /// Creates a sender; reads the system's root certificates.
    ///
    /// # Errors
    /// If the allow list or the name servers cannot be parsed.
    pub fn new(settings: &WebhookSettings) -> Result<Self> {
        let names = SystemResolver::new(&settings.name_servers)?;
        Self::with_resolver(settings, Arc::new(names))
    }

    pub(super) fn with_resolver(settings: &WebhookSettings, names: Arc<dyn Resolver>) -> Result<Self> {
        let allow = AllowList::parse("webhook_allow", &settings.webhook_allow)?;
        let timeout = Duration::from_secs(settings.webhook_timeout_s);
        Ok(Self { hosts: Arc::new(Hosts::new(names, allow)), timeout })
    }

    /// Checks a URL without resolving its host: https, or http to a host that the operator has listed.
    fn check(&self, url: &str) -> Result<Url, UrlError> {
        if url.len() > MAX_URL_BYTES {
            return Err(UrlError::Refused(Refusal::TooLong));
        }
        let mut url = Url::parse(url).map_err(|_| UrlError::Refused(Refusal::Malformed))?;
        url.set_fragment(None);
        if url.scheme() != "https" && !(url.scheme() == "http" && self.hosts.allow().lists(&url)) {
            return Err(UrlError::NotHttps);
        }
        self.hosts.allow().check(&url).map_err(UrlError::Refused)?;
        Ok(url)
    }

    async fn post(&self, message: Message) -> Result<Answer, NoAnswer> {
        // The settings may have changed since the endpoint was created.
        let url = self.check(&message.url).map_err(|error| NoAnswer(format!("the URL {error}")))?;
        let place = self.hosts.place(message.flow).await;
        let client = self.hosts.client(&url, place).await.map_err(refused)?;
        let client = client.connect_timeout(CONNECT_TIMEOUT).build();
        let client = client.map_err(|_| refused(Refusal::Malformed))?;
        let request = client
            .post(url)
            .header(CONTENT_TYPE, "application/json")
            .header("webhook-id", message.id)
            .header("webhook-timestamp", message.timestamp)
            .header("webhook-signature", message.signature)
            .headers(trace_headers())
            .body(message.body);
        let response = request.send().await.map_err(|error| NoAnswer(why(fault(&error), &error)))?;
        let retry_after = retry_after(response.headers());
        Ok(Answer { status: response.status().as_u16(), retry_after })
    }
}

fn refused(refusal: Refusal) -> NoAnswer {
    NoAnswer(format!("the URL {}", UrlError::Refused(refusal)))
}

#[async_trait]
impl WebhookSender for Sender {
    fn parse(&self, field: &str, url: &str) -> Result<Url> {
        self.check(url).map_err(|error| Error::invalid(field, error.to_string()))
    }

    async fn send(&self, message: Message) -> Result<Answer, NoAnswer> {
        match tokio::time::timeout(self.timeout, self.post(message)).await {
            Ok(answer) => answer,
            Err(_) => Err(NoAnswer(format!("the endpoint took longer than {} s", self.timeout.as_secs()))),
        }
    }
}

fn why(fault: Fault, error: &reqwest::Error) -> String {
    match fault {
        Fault::Malformed => refused(Refusal::Malformed).0,
        Fault::Tls => {
            "the endpoint could not be reached over TLS, or its certificate is not valid".to_owned()
        }
        Fault::Unreachable if error.is_timeout() => {
            format!("no connection within {} s", CONNECT_TIMEOUT.as_secs())
        }
        Fault::Unreachable => "the endpoint could not be reached".to_owned(),
        Fault::NoAnswer => "the endpoint did not send an HTTP response".to_owned(),
    }
}
