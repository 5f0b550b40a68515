//! Estimates the age of a face from several crops. Returns all estimates, since the domain also interprets their
//! spread.

use std::path::Path;

use ports::EngineError;

use super::{
    crop::{Alignment, PaddedSquare, Region},
    decode::Picture,
    detector::Rect,
};
use crate::{
    error::named,
    runtime::{Input, OnnxModel, Runtime},
};

/// The side of the net's input, in pixels.
const SIDE: usize = 112;

/// How a crop differs from the face's bounds.
struct Jitter {
    /// Shift to the right, in widths of the face.
    right: f64,
    /// Shift downwards, in heights of the face.
    down: f64,
    /// Scale of both sides, about the centre.
    scale: f64,
    /// Flipped horizontally.
    mirrored: bool,
}

/// The bounds as detected, like face-api's; then variations within the detector's error.
const JITTERS: [Jitter; 5] = [
    Jitter { right: 0.0, down: 0.0, scale: 1.0, mirrored: false },
    Jitter { right: 0.0, down: 0.0, scale: 1.0, mirrored: true },
    Jitter { right: 0.04, down: 0.04, scale: 1.06, mirrored: false },
    Jitter { right: -0.04, down: 0.04, scale: 0.94, mirrored: true },
    Jitter { right: 0.0, down: -0.06, scale: 1.06, mirrored: true },
];

/// The age net of face-api.
#[derive(Debug)]
pub struct AgeNet(OnnxModel);

impl AgeNet {
    /// Loads `face-age.onnx` from the models' folder.
    pub(super) fn open(runtime: &Runtime, models_dir: &Path) -> Result<Self, EngineError> {
        Ok(Self(runtime.load(&models_dir.join("face-age.onnx"))?))
    }

    /// Estimates the age in years from each crop. Returns fewer estimates at the picture's edge, where crops may be
    /// empty.
    ///
    /// # Errors
    /// The model failed, or has another shape.
    pub fn read(&self, picture: &Picture, face: &Rect) -> Result<Vec<f64>, EngineError> {
        let mut values = Vec::with_capacity(JITTERS.len() * 3 * SIDE * SIDE);
        let mut crops = 0;
        for jitter in &JITTERS {
            let Some(region) = clip_to(picture, &jitter.apply(face)) else { continue };
            let square =
                PaddedSquare { region, alignment: Alignment::Center, side: SIDE, mirrored: jitter.mirrored };
            square.write(picture, SIDE, &mut values);
            crops += 1;
        }
        if crops == 0 {
            return Ok(Vec::new());
        }
        let outputs = self.0.run(&[Input::f32("image", &[crops, 3, SIDE, SIDE], &values)])?;
        match outputs.first() {
            Some(ages) if ages.data.len() == crops => {
                Ok(ages.data.iter().map(|&age| f64::from(age)).collect())
            }
            _ => Err(named("face-age", format_args!("the outputs are not one for each of {crops} crops"))),
        }
    }
}

impl Jitter {
    fn apply(&self, face: &Rect) -> Rect {
        let width = face.width * self.scale;
        let height = face.height * self.scale;
        Rect {
            x: face.x + (face.width - width) / 2.0 + self.right * face.width,
            y: face.y + (face.height - height) / 2.0 + self.down * face.height,
            width,
            height,
        }
    }
}

/// Clips a rectangle to the picture. Its four numbers are rounded down, not its edges, as in face-api
/// (`src/classes/Box.ts`, `clipAtImageBorders`).
fn clip_to(picture: &Picture, face: &Rect) -> Option<Region> {
    let width = clipped_length(face.x, face.width, picture.width);
    let height = clipped_length(face.y, face.height, picture.height);
    let x = clipped_start(face.x);
    let y = clipped_start(face.y);
    (width > 0 && height > 0).then_some(Region { x, y, width, height })
}

fn clipped_start(start: f64) -> usize {
    start.max(0.0).floor() as usize
}

fn clipped_length(start: f64, length: f64, limit: u32) -> usize {
    let limit = f64::from(limit);
    let inside = start.max(0.0);
    let length = (start + length - inside).min(limit - inside);
    length.floor().max(0.0) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(x: f64, y: f64, width: f64, height: f64) -> Option<(usize, usize, usize, usize)> {
        let picture = Picture { width: 100, height: 50, rgb: Vec::new() };
        let region = clip_to(&picture, &Rect { x, y, width, height })?;
        Some((region.x, region.y, region.width, region.height))
    }

    #[test]
    fn crops_are_floored_number_by_number() {
        assert_eq!(of(10.9, 20.9, 30.2, 10.9), Some((10, 20, 30, 10)));
        assert_eq!(of(-5.5, -0.2, 30.9, 10.9), Some((0, 0, 25, 10)));
        assert_eq!(of(90.5, 45.5, 30.0, 30.0), Some((90, 45, 9, 4)));
    }

    #[test]
    fn a_crop_without_a_pixel_is_none() {
        assert_eq!(of(-30.0, 0.0, 30.0, 10.0), None);
        assert_eq!(of(100.0, 0.0, 30.0, 10.0), None);
        assert_eq!(of(1e300, 0.0, 1e300, 10.0), None);
        assert_eq!(of(10.0, 10.0, 0.9, 10.0), None);
    }

    #[test]
    fn every_crop_keeps_most_of_the_face() {
        let face = Rect { x: 10.0, y: 20.0, width: 50.0, height: 100.0 };
        assert_eq!(JITTERS[0].apply(&face), face);
        for jitter in &JITTERS {
            assert!(jitter.apply(&face).overlap(&face) > 0.8);
        }
    }
}
