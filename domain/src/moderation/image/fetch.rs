//! The port through which pictures are downloaded. How, and from whom, is the adapter's business.

use async_trait::async_trait;
use bytes::Bytes;
use url::Url;

use crate::Result;

/// Downloads pictures that clients name by URL.
#[async_trait]
pub trait ImageFetcher: Send + Sync + 'static {
    /// Reads a URL, which came in `field`. Looks nothing up.
    ///
    /// # Errors
    /// `INVALID_IMAGE` when it is not a URL that may be requested.
    fn parse(&self, field: &str, url: &str) -> Result<Url>;

    /// Downloads a file; never an empty one. Its type is whatever its bytes turn out to be.
    ///
    /// # Errors
    /// `INVALID_IMAGE` with the reason; `OVERLOADED` when too many others are under way.
    async fn fetch(&self, url: &Url) -> Result<Bytes>;
}
