//! The port to an image moderation model.

use async_trait::async_trait;
use bytes::Bytes;
use serde::{Deserialize, Serialize};

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

/// The output of an image engine for one file.
#[derive(Clone, Debug, PartialEq)]
pub struct ImageReading {
    /// The ways to see it; never empty.
    pub views: Vec<ImageView>,
    /// A part of the file is not there, is damaged, or is more than an engine decodes.
    pub truncated: bool,
    /// Pictures of the file; 1 unless it is animated.
    pub frames: u32,
}

/// A way to see a file: a frame of an animation, a transparent picture on one background.
#[derive(Clone, Debug, PartialEq)]
pub struct ImageView {
    pub scores: ImageScores,
    /// The number of the frame, from 0.
    pub frame: u32,
    pub background: Background,
}

/// What a transparent picture is shown on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Background {
    /// As most pages and viewers have it.
    White,
    /// As viewers in dark colours have it.
    Black,
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
    /// Decodes and scores one picture in every way in which it can be seen: the bytes of a JPEG, PNG or WebP file,
    /// whatever content type the client declared.
    async fn score(&self, image: Bytes) -> Result<ImageReading, ImageFault>;

    /// Checks that the engine works, by running the models on a small built-in picture.
    async fn probe(&self) -> Result<(), EngineError>;
}
