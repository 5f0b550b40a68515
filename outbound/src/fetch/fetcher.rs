//! Downloads a file within a deadline and a size limit. Redirects are followed here, not by the HTTP client, so that
//! each target is checked.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use bytes::{Bytes, BytesMut};
use domain::{
    Result,
    foundation::slots::{SlotPermit, Slots},
    operations::moderation::image::{ImageFetcher, holding},
};
use ports::Flow;
use reqwest::{
    Client, Response, StatusCode,
    header::{ACCEPT, ACCEPT_ENCODING, CONTENT_ENCODING, HeaderMap, HeaderValue, LOCATION},
};
use tokio::time::{Instant, timeout_at};
use url::Url;

use super::{
    failure::{Failure, MAX_REDIRECTS, refused},
    settings::FetchSettings,
};
use crate::egress::{AllowList, Fault, Hosts, MAX_URL_BYTES, Refusal, Resolver, SystemResolver, fault};

/// Maximum number of downloads and downloaded pictures in memory. Further downloads wait for half their timeout at
/// most, and before that for a place among the lookups.
const MAX_DOWNLOADS: usize = 64;
/// The part of [`MAX_DOWNLOADS`] that one account may use.
const MAX_ACCOUNT_DOWNLOADS: usize = 8;
/// The request field that holds the URL.
const FIELD: &str = "image_url";

/// Downloads images. Cheap to clone.
#[derive(Clone)]
pub struct Fetcher {
    hosts: Arc<Hosts>,
    headers: HeaderMap,
    permits: Slots<Flow>,
    timeout: Duration,
    max_bytes: usize,
}

impl Fetcher {
    /// Creates a fetcher; reads the system's root certificates.
    ///
    /// # Errors
    /// If the allow list or the name servers cannot be parsed.
    pub fn new(settings: FetchSettings) -> Result<Self> {
        let names = SystemResolver::new(&settings.name_servers)?;
        Self::with_resolver(settings, Arc::new(names))
    }

    pub(super) fn with_resolver(settings: FetchSettings, names: Arc<dyn Resolver>) -> Result<Self> {
        let allow = AllowList::parse("fetch_allow", &settings.allow)?;
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, HeaderValue::from_static("image/jpeg, image/png, image/webp, */*;q=0.5"));
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        Ok(Self {
            hosts: Arc::new(Hosts::new(names, allow)),
            headers,
            permits: Slots::new(MAX_DOWNLOADS, MAX_ACCOUNT_DOWNLOADS),
            timeout: settings.timeout,
            max_bytes: settings.max_bytes,
        })
    }

    async fn download(&self, flow: Flow, url: &Url, turn: Instant) -> Result<Bytes, Failure> {
        let place = timeout_at(turn, self.hosts.place(flow)).await.map_err(|_| Failure::Busy)?;
        // Before the download takes its place, so that names that never resolve do not hold places.
        let client = self.client(url, place).await.map_err(Failure::Refused)?;
        let permit = timeout_at(turn, self.permits.acquire(&flow, 1)).await.map_err(|_| Failure::Busy)?;
        Ok(holding(self.follow(flow, url, client).await?, permit))
    }

    async fn client(&self, url: &Url, place: SlotPermit) -> Result<Client, Refusal> {
        self.hosts.client(url, place).await?.build().map_err(|_| Refusal::Malformed)
    }

    /// Downloads from `start`, to which `first` connects, or from where that redirects.
    async fn follow(&self, flow: Flow, start: &Url, first: Client) -> Result<Bytes, Failure> {
        let mut url = start.clone();
        let mut first = Some(first);
        for _ in 0..=MAX_REDIRECTS {
            let client = match first.take() {
                Some(client) => client,
                None => {
                    let place = self.hosts.place(flow).await;
                    self.client(&url, place).await.map_err(Failure::Redirect)?
                }
            };
            let sent = client.get(url.clone()).headers(self.headers.clone()).send().await;
            let response = sent.map_err(|error| without_answer(&error))?;
            match response.status() {
                StatusCode::OK => return self.body(response).await,
                StatusCode::MOVED_PERMANENTLY
                | StatusCode::FOUND
                | StatusCode::SEE_OTHER
                | StatusCode::TEMPORARY_REDIRECT
                | StatusCode::PERMANENT_REDIRECT => url = self.next(&url, response.headers())?,
                status => return Err(Failure::Status(status.as_u16())),
            }
        }
        Err(Failure::Redirects)
    }

    /// The target of a redirect, if it is allowed.
    fn next(&self, url: &Url, headers: &HeaderMap) -> Result<Url, Failure> {
        let location =
            headers.get(LOCATION).and_then(|location| std::str::from_utf8(location.as_bytes()).ok());
        let location = location.ok_or(Failure::Redirect(Refusal::Malformed))?;
        if location.len() > MAX_URL_BYTES {
            return Err(Failure::Redirect(Refusal::TooLong));
        }
        let mut next = url.join(location).map_err(|_| Failure::Redirect(Refusal::Malformed))?;
        next.set_fragment(None);
        self.hosts.allow().check(&next).map_err(Failure::Redirect)?;
        if url.scheme() == "https" && next.scheme() == "http" {
            return Err(Failure::Downgrade);
        }
        Ok(next)
    }

    async fn body(&self, mut response: Response) -> Result<Bytes, Failure> {
        let encodings = response.headers().get_all(CONTENT_ENCODING);
        if !encodings
            .iter()
            .all(|value| value.is_empty() || value.as_bytes().eq_ignore_ascii_case(b"identity"))
        {
            return Err(Failure::Encoded);
        }
        if response.content_length().is_some_and(|bytes| bytes > self.max_bytes as u64) {
            return Err(Failure::TooLarge(self.max_bytes));
        }
        let mut body = BytesMut::new();
        while let Some(chunk) = response.chunk().await.map_err(|_| Failure::Truncated)? {
            if body.len() + chunk.len() > self.max_bytes {
                return Err(Failure::TooLarge(self.max_bytes));
            }
            body.extend_from_slice(&chunk);
        }
        if body.is_empty() { Err(Failure::Empty) } else { Ok(body.freeze()) }
    }
}

#[async_trait]
impl ImageFetcher for Fetcher {
    fn parse(&self, field: &str, url: &str) -> Result<Url> {
        if url.len() > MAX_URL_BYTES {
            return Err(refused(Refusal::TooLong, field));
        }
        let mut url = Url::parse(url).map_err(|_| refused(Refusal::Malformed, field))?;
        url.set_fragment(None);
        self.hosts.allow().check(&url).map_err(|refusal| refused(refusal, field))?;
        Ok(url)
    }

    async fn fetch(&self, flow: Flow, url: &Url) -> Result<Bytes> {
        let start = Instant::now();
        let downloaded = self.download(flow, url, start + self.timeout / 2);
        let downloaded = timeout_at(start + self.timeout, downloaded).await;
        downloaded.unwrap_or(Err(Failure::TimedOut(self.timeout))).map_err(|failure| {
            tracing::debug!(?failure, "could not download an image");
            failure.error(FIELD)
        })
    }
}

/// Why a request got no answer.
fn without_answer(error: &reqwest::Error) -> Failure {
    match fault(error) {
        Fault::Malformed => Failure::Refused(Refusal::Malformed),
        Fault::Tls => Failure::Tls,
        Fault::Unreachable => Failure::Unreachable,
        Fault::NoAnswer => Failure::NoAnswer,
    }
}
