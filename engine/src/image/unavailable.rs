//! A stand-in for the image engine when its models are missing.

use async_trait::async_trait;
use bytes::Bytes;
use ports::{
    EngineError,
    image::{ImageEngine, ImageFault, ImageReading},
};

/// An image engine that fails every request with the reason.
pub struct UnavailableImages {
    /// Why there is no image engine, for the log.
    pub why: String,
}

#[async_trait]
impl ImageEngine for UnavailableImages {
    async fn score(&self, _: Bytes) -> Result<ImageReading, ImageFault> {
        Err(EngineError(self.why.clone()).into())
    }

    async fn probe(&self) -> Result<(), EngineError> {
        Err(EngineError(self.why.clone()))
    }
}
