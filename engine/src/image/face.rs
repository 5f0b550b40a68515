//! Detects the faces of a picture and estimates their ages. Never identity or sex.

use std::path::Path;

use ports::{EngineError, image::FaceReading};

use super::{age::AgeNet, decode::Picture, detector::Detector};
use crate::runtime::Runtime;

pub use super::detector::{Face, Rect};

/// The most faces whose ages are estimated: those with the greatest products of score and area.
pub const MAX_FACES: usize = 16;

/// The face detector and the age net.
#[derive(Debug)]
pub struct Faces {
    pub detector: Detector,
    pub ages: AgeNet,
}

impl Faces {
    /// Loads `face-detector.onnx` and `face-age.onnx` from the models' folder, and runs both once.
    ///
    /// # Errors
    /// The file that is missing or wrong.
    pub fn open(runtime: &Runtime, models_dir: &Path) -> Result<Self, EngineError> {
        let faces =
            Self { detector: Detector::open(runtime, models_dir)?, ages: AgeNet::open(runtime, models_dir)? };
        let grey = Picture { width: 1, height: 1, rgb: vec![128; 3] };
        faces.read(&grey)?;
        faces.ages.read(&grey, &Rect { x: 0.0, y: 0.0, width: 1.0, height: 1.0 })?;
        Ok(faces)
    }

    /// Returns at most [`MAX_FACES`] faces, sorted by score times area. Takes tens of milliseconds on one core, or
    /// hundreds for a crowd.
    ///
    /// # Errors
    /// A model failed, or has another shape.
    pub fn read(&self, picture: &Picture) -> Result<Vec<FaceReading>, EngineError> {
        let mut faces = self.detector.find(picture)?;
        faces.sort_by(|a, b| weight(b).total_cmp(&weight(a)));
        faces.truncate(MAX_FACES);
        let mut readings = Vec::with_capacity(faces.len());
        for face in faces {
            let ages = self.ages.read(picture, &face.bounds)?;
            if !ages.is_empty() {
                readings.push(FaceReading { detection: face.score, ages });
            }
        }
        Ok(readings)
    }
}

fn weight(face: &Face) -> f64 {
    face.score * face.bounds.area()
}
