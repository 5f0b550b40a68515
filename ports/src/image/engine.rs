//! The port to an image moderation model.

use async_trait::async_trait;
use bytes::Bytes;

use super::ClassScores;
use crate::EngineError;

/// The output of an image engine for one picture.
#[derive(Clone, Debug, PartialEq)]
pub struct ImageScores {
    /// Names and versions of the models and of the runtime that ran them.
    pub model: String,
    /// A probability for each class; they sum to 1.
    pub classes: ClassScores,
    /// The detected faces, unordered.
    pub faces: Vec<FaceReading>,
}

/// A detected face.
#[derive(Clone, Debug, PartialEq)]
pub struct FaceReading {
    /// The face detector's score, 0 to 1.
    pub detection: f64,
    /// Readings of the age model in years, from several slightly different crops. Never empty.
    pub ages: Vec<f64>,
}

/// The reason why a picture was not scored.
#[derive(Debug)]
pub enum ImageFault {
    /// The picture is invalid; a sentence for the client, such as `the image is truncated`.
    Unreadable(String),
    /// The engine failed; for the log.
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
    /// Decodes and scores one picture: the bytes of a JPEG, PNG or WebP file, whatever content type the client
    /// declared.
    async fn score(&self, image: Bytes) -> Result<ImageScores, ImageFault>;

    /// Checks that the engine works, by running the models on a small built-in picture.
    async fn probe(&self) -> Result<(), EngineError>;
}
