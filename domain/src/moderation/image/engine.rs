//! The port to an image moderation model.

use async_trait::async_trait;
use bytes::Bytes;

use super::ClassScores;
use crate::EngineError;

/// What an image engine saw in one picture.
#[derive(Clone, Debug, PartialEq)]
pub struct ImageScores {
    /// Name and version of the models and of the runtime that ran them.
    pub model: String,
    /// A probability for each class; they sum to 1.
    pub classes: ClassScores,
    /// The faces that were found, in no order.
    pub faces: Vec<FaceReading>,
}

/// One face.
#[derive(Clone, Debug, PartialEq)]
pub struct FaceReading {
    /// The detector's score for it being a face, 0 to 1.
    pub detection: f64,
    /// What the age model read, in years, from several crops that differ a little. Never empty.
    pub ages: Vec<f64>,
}

/// Why a picture was not scored.
#[derive(Debug)]
pub enum ImageFault {
    /// The picture's own fault; a sentence for the client, such as `the image is truncated`.
    Unreadable(String),
    /// The engine's fault; for the log.
    Engine(EngineError),
}

impl From<EngineError> for ImageFault {
    fn from(error: EngineError) -> Self {
        ImageFault::Engine(error)
    }
}

/// An image moderation model.
#[async_trait]
pub trait ImageEngine: Send + Sync + 'static {
    /// Decodes and scores one picture: the bytes of a JPEG, PNG or WebP file, whatever their sender calls them.
    async fn score(&self, image: Bytes) -> Result<ImageScores, ImageFault>;

    /// Whether it works: runs the models on a small picture of its own.
    async fn probe(&self) -> Result<(), EngineError>;
}
