//! The port that downloads pictures. The adapter decides how, and from which hosts.

use async_trait::async_trait;
use bytes::Bytes;
use url::Url;

use crate::Result;
use ports::Flow;

/// Downloads pictures from the URLs in requests.
#[async_trait]
pub trait ImageFetcher: Send + Sync + 'static {
    /// Parses a URL from `field`. Makes no DNS query.
    ///
    /// # Errors
    /// `INVALID_IMAGE` when it is not a URL that may be requested.
    fn parse(&self, field: &str, url: &str) -> Result<Url>;

    /// Downloads a file; never an empty one. Its content type is not checked. It counts among the flow's downloads
    /// until the bytes are dropped.
    ///
    /// # Errors
    /// `INVALID_IMAGE` with the reason; `OVERLOADED` when too many downloads are in progress.
    async fn fetch(&self, flow: Flow, url: &Url) -> Result<Bytes>;
}
