//! How old a face is, and how sure that is. (Being written.)

use serde::{Deserialize, Serialize};

use crate::ports::FaceReading;

/// The age of one face.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AgeEstimate {
    /// Years.
    pub estimated_age: u32,
    /// Lower end of the range.
    pub low: u32,
    /// Upper end of the range.
    pub high: u32,
    /// Probability of being under 18.
    pub p_minor: f64,
    /// Whether it is likely under 18.
    pub is_minor: bool,
    /// How sure the finding is.
    pub confidence: f64,
}

impl AgeEstimate {
    /// Such as `25-37`.
    pub fn range(&self) -> String {
        format!("{}-{}", self.low, self.high)
    }
}

/// The face most likely to be a minor's.
pub fn estimate(faces: &[FaceReading], minor_threshold: f64) -> Option<AgeEstimate> {
    faces
        .iter()
        .map(|face| {
            let age = face.ages.iter().sum::<f64>() / face.ages.len() as f64;
            let p_minor = 1.0 / (1.0 + ((age - 18.0) / 4.0).exp());
            AgeEstimate {
                estimated_age: age as u32,
                low: (age - 5.0).max(0.0) as u32,
                high: (age + 5.0) as u32,
                p_minor,
                is_minor: p_minor >= minor_threshold,
                confidence: face.detection * p_minor.max(1.0 - p_minor),
            }
        })
        .max_by(|a, b| a.p_minor.total_cmp(&b.p_minor))
}
