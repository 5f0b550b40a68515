//! Finds the faces of a picture and reads their ages. Refuses to tell more of a face: not whose it is, not its sex.

use std::path::Path;

use domain::{EngineError, moderation::image::FaceReading};

use super::{age::AgeNet, decode::Picture, detector::Detector};
use crate::runtime::Runtime;

pub use super::detector::{Face, Rect};

/// Ages are read of so many faces, the largest and surest; in a crowd the others are left out.
pub const MAX_FACES: usize = 16;

/// The detector and the age net.
#[derive(Debug)]
pub struct Faces {
    /// What finds them.
    pub detector: Detector,
    /// What reads their ages.
    pub ages: AgeNet,
}

impl Faces {
    /// Loads `face-detector.onnx` and `face-age.onnx` from the models' folder, and tries both.
    ///
    /// # Errors
    /// Names the file that is missing or wrong.
    pub fn open(runtime: &Runtime, models_dir: &Path) -> Result<Self, EngineError> {
        let faces =
            Self { detector: Detector::open(runtime, models_dir)?, ages: AgeNet::open(runtime, models_dir)? };
        let grey = Picture { width: 1, height: 1, rgb: vec![128; 3] };
        faces.read(&grey)?;
        faces.ages.read(&grey, &Rect { x: 0.0, y: 0.0, width: 1.0, height: 1.0 })?;
        Ok(faces)
    }

    /// At most [`MAX_FACES`] faces, the largest and surest first. Takes one core for tens of milliseconds, in a crowd up
    /// to hundreds.
    ///
    /// # Errors
    /// A model could not be run, or is another one.
    pub fn read(&self, picture: &Picture) -> Result<Vec<FaceReading>, EngineError> {
        let mut faces = self.detector.find(picture)?;
        let weight = |face: &Face| face.score * face.bounds.area();
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
