//! Finds faces with face-api's `TinyFaceDetector`, at more than one scale. Refuses to say who anybody is: a face is a
//! rectangle and a score.
//!
//! One scale is what face-api does (`src/tinyYolov2/TinyYolov2Base.ts`, constants in `src/tinyFaceDetector/const.ts`),
//! and finds faces between about a tenth and two thirds of the picture's side. The others are looked at only where
//! the first says that there may be more to see.

use std::path::Path;

use domain::EngineError;

use super::{
    crop::{Alignment, PaddedSquare, Region},
    decode::Picture,
};
use crate::runtime::{Input, Model, Runtime, Tensor};

/// Pixels on a side of the square that a picture is scaled into at first; face-api's default.
pub const SIDE: usize = 416;
/// For a face that fills the picture.
const SMALLER: [usize; 2] = [224, 160];
/// What those find counts from this share of the picture's longer side; smaller ones the first look had seen.
const MIN_SHARE: f64 = 0.45;
/// For a picture with small faces. Of one that is smaller itself, its own longer side.
const LARGER: usize = 832;
/// For a picture in which that finds small faces.
const LARGEST: usize = 1248;
/// Narrower ones, in pixels of the scaled picture, are a sign that others were too small to be found.
const SMALL: f64 = 64.0;

/// Scores at or under this are no face.
const MIN_SCORE: f64 = 0.5;
/// Of two faces that overlap by more (their intersection over their union) the one with the lower score is dropped.
const MAX_OVERLAP: f64 = 0.4;
/// A face found at another scale is dropped if one found before covers this much of it, or it this much of that one.
const MAX_COVER: f64 = 0.6;
/// Pixels of the scaled picture for one cell of the answer.
const CELL: usize = 32;
/// Values for each anchor: centre, size, score.
const VALUES: usize = 5;
/// Width and height, in cells, of what the detector's five answers for a cell start from.
const ANCHORS: [(f64, f64); 5] = [
    (1.603231, 2.094468),
    (6.041143, 7.080126),
    (2.882459, 3.518061),
    (4.266906, 5.178857),
    (9.041765, 10.66308),
];

/// A face in a picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Face {
    /// The detector's score, over 0.5 and up to 1.
    pub score: f64,
    /// Where it is.
    pub bounds: Rect,
}

/// A rectangle in pixels from the picture's top left corner. It may reach beyond the picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rect {
    /// Left edge.
    pub x: f64,
    /// Upper edge.
    pub y: f64,
    /// From left to right.
    pub width: f64,
    /// Downwards.
    pub height: f64,
}

/// The detector, ready to use.
#[derive(Debug)]
pub struct Detector(Model);

impl Rect {
    /// The area of both over the area of either, 0 to 1.
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

    /// The faces of a picture: those that face-api finds, and then those of other scales.
    ///
    /// # Errors
    /// The model could not be run, or is another one.
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
            // There is nothing to be seen between pixels.
            let side = side.min((longer as usize).next_multiple_of(CELL));
            let scale = before as f64 / f64::from(longer);
            let narrowest = faces.iter().map(|face| face.bounds.width * scale).fold(f64::INFINITY, f64::min);
            let more_to_see = if faces.is_empty() { before == SIDE } else { narrowest < SMALL };
            if !more_to_see || side * 4 < before * 5 {
                break;
            }
            // The largest look is taken in quarters, since at once it would take three times the memory of the others.
            let regions = if side > LARGER { quarters(picture) } else { vec![Region::whole(picture)] };
            for region in regions {
                let scaled = |length: usize| (side * length).div_ceil(longer as usize);
                let side = scaled(region.width.max(region.height)).next_multiple_of(CELL);
                add(&mut faces, self.look(picture, region, side, scaled(region.height))?);
            }
            before = side;
        }
        Ok(faces)
    }

    /// The faces of a picture that is scaled into the top left of a black square of `side` pixels, a multiple of 32, of
    /// which at least the upper `rows` are looked at. The surest comes first.
    ///
    /// # Errors
    /// The model could not be run, or is another one.
    pub fn find_at(&self, picture: &Picture, side: usize, rows: usize) -> Result<Vec<Face>, EngineError> {
        self.look(picture, Region::whole(picture), side, rows)
    }

    /// The same for a part of the picture.
    fn look(
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
        let grid = outputs.first().ok_or_else(|| EngineError("face-detector: no output".to_owned()))?;
        if grid.shape != [1, ANCHORS.len() * VALUES, rows / CELL, side / CELL] {
            let shape = &grid.shape;
            return Err(EngineError(format!("face-detector: an output of {shape:?} is not understood")));
        }
        Ok(distinct(decode(grid, side, region)))
    }
}

/// Four parts that overlap by an eighth of the picture, so that a face small enough to be looked for is whole in one.
fn quarters(picture: &Picture) -> Vec<Region> {
    let (width, height) = (picture.width as usize, picture.height as usize);
    let part = |length: usize| (length * 9).div_ceil(16);
    let starts = |length: usize| [0, length - part(length)];
    let row = |y| starts(width).map(|x| Region { x, y, width: part(width), height: part(height) });
    starts(height).into_iter().flat_map(row).collect()
}

/// The faces that the grid tells of, in pixels of the picture. The scaled part's sides count as rounded to whole pixels,
/// as in face-api.
fn decode(grid: &Tensor, side: usize, region: Region) -> Vec<Face> {
    let (left, top) = (region.x as f64, region.y as f64);
    let (width, height) = (region.width as f64, region.height as f64);
    let scale = side as f64 / width.max(height);
    let to_picture = |length: f64| length / (length * scale).round().max(1.0) * CELL as f64;
    let (across, down) = (to_picture(width), to_picture(height));
    let (rows, columns) = (grid.shape[2], grid.shape[3]);
    let mut faces = Vec::new();
    for row in 0..rows {
        for column in 0..columns {
            for (anchor, (anchor_width, anchor_height)) in ANCHORS.into_iter().enumerate() {
                let value =
                    |k: usize| f64::from(grid.data[((anchor * VALUES + k) * rows + row) * columns + column]);
                let score = sigmoid(value(4));
                let width = value(2).exp() * anchor_width * across;
                let height = value(3).exp() * anchor_height * down;
                let x = left + (column as f64 + sigmoid(value(0))) * across - width / 2.0;
                let y = top + (row as f64 + sigmoid(value(1))) * down - height / 2.0;
                if score > MIN_SCORE && [x, y, width, height].iter().all(|value| value.is_finite()) {
                    faces.push(Face { score, bounds: Rect { x, y, width, height } });
                }
            }
        }
    }
    faces
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// The surest of those that overlap, the surest first.
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

/// Adds those that are not among `faces` already, as a whole or in part.
fn add(faces: &mut Vec<Face>, more: Vec<Face>) {
    let new = |face: &Face| {
        faces.iter().all(|other| {
            let smaller = face.bounds.area().min(other.bounds.area());
            face.bounds.overlap(&other.bounds) <= MAX_OVERLAP
                && face.bounds.shared(&other.bounds) <= MAX_COVER * smaller
        })
    };
    let more: Vec<Face> = more.into_iter().filter(new).collect();
    faces.extend(more);
}
