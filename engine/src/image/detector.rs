//! Detects faces with face-api's `TinyFaceDetector`, at several scales. Gives rectangles and scores, never identities.
//!
//! face-api uses one scale (`src/tinyYolov2/TinyYolov2Base.ts`, constants in `src/tinyFaceDetector/const.ts`), which
//! finds faces between about a tenth and two thirds of the picture's side. The other scales are tried only when the
//! first one suggests that there are more faces.

use std::path::Path;

use ports::EngineError;

use super::{
    crop::{Alignment, PaddedSquare, Region},
    decode::Picture,
};
use crate::{
    error::named,
    runtime::{Input, OnnxModel, OutputTensor, Runtime},
};

/// The side of the first scale's square, in pixels; face-api's default.
pub const SIDE: usize = 416;
/// Smaller scales, for a face that fills the picture.
const SMALLER: [usize; 2] = [224, 160];
/// The least size of a face that counts at the smaller scales, as a share of the picture's longer side. The first
/// scale finds smaller faces.
const MIN_SHARE: f64 = 0.45;
/// A larger scale, for small faces; at most the picture's longer side.
const LARGER: usize = 832;
/// The largest scale, for pictures in which `LARGER` finds small faces.
const LARGEST: usize = 1248;
/// If a face is narrower than this, in pixels of the scaled picture, others may have been too small to be found.
const SMALL: f64 = 64.0;

/// The score that a face must exceed.
const MIN_SCORE: f64 = 0.5;
/// The intersection over union above which the face with the lower score is dropped.
const MAX_OVERLAP: f64 = 0.4;
/// The overlap of two faces from different scales, as a share of the smaller one, above which the later one is dropped.
const MAX_COVER: f64 = 0.6;
/// Pixels of the scaled picture for each cell of the grid.
const CELL: usize = 32;
/// Values of each anchor: centre, size, score.
const VALUES: usize = 5;

/// The size of an anchor, in cells.
struct Anchor {
    width: f64,
    height: f64,
}

const ANCHORS: [Anchor; 5] = [
    Anchor { width: 1.603231, height: 2.094468 },
    Anchor { width: 6.041143, height: 7.080126 },
    Anchor { width: 2.882459, height: 3.518061 },
    Anchor { width: 4.266906, height: 5.178857 },
    Anchor { width: 9.041765, height: 10.66308 },
];

/// A detected face.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Face {
    /// Above 0.5, at most 1.
    pub score: f64,
    pub bounds: Rect,
}

/// A rectangle in pixels from the picture's top left corner. It may extend beyond the picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rect {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

/// The face detector.
#[derive(Debug)]
pub struct Detector(OnnxModel);

impl Rect {
    /// Intersection over union, 0 to 1.
    pub fn overlap(&self, other: &Rect) -> f64 {
        let shared = self.shared(other);
        shared / (self.area() + other.area() - shared)
    }

    pub(super) fn area(&self) -> f64 {
        self.width * self.height
    }

    fn shared(&self, other: &Rect) -> f64 {
        let width = (self.x + self.width).min(other.x + other.width) - self.x.max(other.x);
        let height = (self.y + self.height).min(other.y + other.height) - self.y.max(other.y);
        width.max(0.0) * height.max(0.0)
    }
}

impl Detector {
    /// Loads `face-detector.onnx` from the models' folder.
    pub(super) fn open(runtime: &Runtime, models_dir: &Path) -> Result<Self, EngineError> {
        Ok(Self(runtime.load(&models_dir.join("face-detector.onnx"))?))
    }

    /// Detects the faces of a picture: face-api's first, then those of other scales.
    ///
    /// # Errors
    /// The model failed, or has another shape.
    pub fn find(&self, picture: &Picture) -> Result<Vec<Face>, EngineError> {
        let mut faces = self.find_at(picture, SIDE, SIDE)?;
        let longer = picture.width.max(picture.height);
        for side in SMALLER {
            if !faces.is_empty() {
                break;
            }
            faces = self.find_at(picture, side, side)?;
            faces.retain(|face| face.bounds.width.max(face.bounds.height) >= MIN_SHARE * f64::from(longer));
        }
        let mut before = SIDE;
        for side in [LARGER, LARGEST] {
            // Enlarging a picture adds no detail.
            let side = side.min((longer as usize).next_multiple_of(CELL));
            let scale = before as f64 / f64::from(longer);
            let narrowest = faces.iter().map(|face| face.bounds.width * scale).fold(f64::INFINITY, f64::min);
            let more_to_see = if faces.is_empty() { before == SIDE } else { narrowest < SMALL };
            if !more_to_see || side * 4 < before * 5 {
                break;
            }
            // The largest scale runs in quarters, since the whole would take three times the memory of the others.
            let regions = if side > LARGER { quarters(picture) } else { vec![Region::whole(picture)] };
            for region in regions {
                let rows = (side * region.height).div_ceil(longer as usize);
                let region_side = (side * region.width.max(region.height)).div_ceil(longer as usize);
                let found = self.detect(picture, region, region_side.next_multiple_of(CELL), rows)?;
                add_distinct(&mut faces, found);
            }
            before = side;
        }
        Ok(faces)
    }

    /// Detects the faces of a picture that is scaled into the top left of a black square of `side` pixels, a multiple
    /// of 32. The model runs on at least the upper `rows`. Sorted by score.
    ///
    /// # Errors
    /// The model failed, or has another shape.
    pub fn find_at(&self, picture: &Picture, side: usize, rows: usize) -> Result<Vec<Face>, EngineError> {
        self.detect(picture, Region::whole(picture), side, rows)
    }

    /// Detects faces in a region of the picture.
    fn detect(
        &self,
        picture: &Picture,
        region: Region,
        side: usize,
        rows: usize,
    ) -> Result<Vec<Face>, EngineError> {
        let rows = rows.next_multiple_of(CELL).clamp(CELL, side);
        let square = PaddedSquare { region, alignment: Alignment::TopLeft, side, mirrored: false };
        let mut values = Vec::with_capacity(3 * rows * side);
        square.write(picture, rows, &mut values);
        let outputs = self.0.run(&[Input::f32("image", &[1, 3, rows, side], &values)])?;
        let grid = outputs.first().ok_or_else(|| named("face-detector", "the model has no output"))?;
        if grid.shape != [1, ANCHORS.len() * VALUES, rows / CELL, side / CELL] {
            let why = format!("an output of the shape {:?} is not supported", grid.shape);
            return Err(named("face-detector", why));
        }
        Ok(distinct(decode(grid, side, region)))
    }
}

/// Four regions that overlap by an eighth of the picture, so that every face of the size in question is entirely in
/// one.
fn quarters(picture: &Picture) -> Vec<Region> {
    let width = (picture.width as usize * 9).div_ceil(16);
    let height = (picture.height as usize * 9).div_ceil(16);
    let right = picture.width as usize - width;
    let bottom = picture.height as usize - height;
    vec![
        Region { x: 0, y: 0, width, height },
        Region { x: right, y: 0, width, height },
        Region { x: 0, y: bottom, width, height },
        Region { x: right, y: bottom, width, height },
    ]
}

/// Decodes the model's grid to faces in pixels of the picture. The region's scaled sides are rounded to whole pixels,
/// as in face-api.
fn decode(grid: &OutputTensor, side: usize, region: Region) -> Vec<Face> {
    let left = region.x as f64;
    let top = region.y as f64;
    let scale = side as f64 / (region.width as f64).max(region.height as f64);
    let across = cell_size(region.width as f64, scale);
    let down = cell_size(region.height as f64, scale);
    let rows = grid.shape[2];
    let columns = grid.shape[3];
    let mut faces = Vec::new();
    for row in 0..rows {
        for column in 0..columns {
            for (number, anchor) in ANCHORS.iter().enumerate() {
                let [x, y, width, height, score]: [f64; VALUES] = std::array::from_fn(|k| {
                    f64::from(grid.data[((number * VALUES + k) * rows + row) * columns + column])
                });
                let score = sigmoid(score);
                let width = width.exp() * anchor.width * across;
                let height = height.exp() * anchor.height * down;
                let x = left + (column as f64 + sigmoid(x)) * across - width / 2.0;
                let y = top + (row as f64 + sigmoid(y)) * down - height / 2.0;
                if score > MIN_SCORE && [x, y, width, height].iter().all(|value| value.is_finite()) {
                    faces.push(Face { score, bounds: Rect { x, y, width, height } });
                }
            }
        }
    }
    faces
}

/// The size of a cell along a side of the given length, in pixels of the picture.
fn cell_size(length: f64, scale: f64) -> f64 {
    length / (length * scale).round().max(1.0) * CELL as f64
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// Non-maximum suppression; sorts by score.
fn distinct(mut faces: Vec<Face>) -> Vec<Face> {
    faces.sort_by(|a, b| b.score.total_cmp(&a.score));
    let mut kept: Vec<Face> = Vec::new();
    for face in faces {
        if kept.iter().all(|other| other.bounds.overlap(&face.bounds) <= MAX_OVERLAP) {
            kept.push(face);
        }
    }
    kept
}

/// Adds the faces that do not overlap with those in `faces`.
fn add_distinct(faces: &mut Vec<Face>, more: Vec<Face>) {
    let known = faces.len();
    for face in more {
        if faces[..known].iter().all(|other| are_distinct(&face.bounds, &other.bounds)) {
            faces.push(face);
        }
    }
}

fn are_distinct(one: &Rect, other: &Rect) -> bool {
    let smaller = one.area().min(other.area());
    one.overlap(other) <= MAX_OVERLAP && one.shared(other) <= MAX_COVER * smaller
}
