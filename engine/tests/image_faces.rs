//! Faces and ages on both runtimes: like face-api, at sizes that face-api misses, and in pictures without faces. Needs
//! the models that set-up installs.

use std::path::{Path, PathBuf};

use engine::{
    image::{
        decode::{DecodeLimits, Picture, decode},
        detector::SIDE,
        face::{Face, Faces, MAX_FACES, Rect},
    },
    runtime::{OnnxRuntime, Runtime},
};

/// A photograph of a face, 360 x 280; see the README beside it.
const ASTRONAUT: &[u8] = include_bytes!("../../tests/fixtures/images/astronaut.jpg");

/// The results of face-api 1.7.15 with `TinyFaceDetector` (416, 0.5) and `AgeGenderNet` on TensorFlow.js's wasm
/// backend, with the file decoded by sharp 0.35: left, top, width, height, score, age. For the photograph, and
/// mirrored.
const FACE_API: [[f64; 6]; 2] =
    [[119.7, 78.4, 126.3, 109.8, 0.98, 30.53], [113.6, 78.3, 117.1, 107.7, 0.90, 33.61]];

#[test]
fn a_face_and_its_age_are_those_of_face_api() {
    let picture = astronaut();
    for faces in [built_in(), library()] {
        for (picture, [x, y, width, height, score, age]) in
            [picture.clone(), mirrored(&picture)].iter().zip(FACE_API)
        {
            let found = faces.detector.find(picture).unwrap();
            let [Face { score: found_score, bounds }] = found[..] else { panic!("{found:?}") };
            let far = [bounds.x - x, bounds.y - y, bounds.width - width, bounds.height - height];
            assert!(far.iter().all(|far| far.abs() < 1.0), "{bounds:?}");
            assert!((found_score - score).abs() < 0.02, "{found_score}");
            let readings = faces.read(picture).unwrap();
            assert_eq!(readings.len(), 1);
            assert!((readings[0].ages[0] - age).abs() < 1.0, "{readings:?}");
            assert_eq!(readings[0].ages.len(), 5);
            assert!(readings[0].ages.iter().all(|one| (one - age).abs() < 15.0), "{readings:?}");
            assert_eq!(readings[0].detection, found_score);
        }
    }
}

#[test]
fn both_runtimes_read_alike() {
    let readings = [built_in(), library()].map(|faces| faces.read(&astronaut()).unwrap());
    let [one, other] = &readings;
    for (one, other) in one[0].ages.iter().zip(&other[0].ages) {
        assert!((one - other).abs() < 0.01, "{readings:?}");
    }
}

#[test]
fn a_face_too_small_for_one_look_is_found_at_a_second() {
    let faces = library();
    let picture = on_grey(&astronaut(), 1600, 1200, &[(900, 700)]);
    assert_eq!(faces.detector.find_at(&picture, SIDE, SIDE).unwrap(), []);
    let found = faces.detector.find(&picture).unwrap();
    let expected = Rect { x: 900.0 + 119.7, y: 700.0 + 78.4, width: 126.3, height: 109.8 };
    assert!(found.len() == 1 && found[0].bounds.overlap(&expected) > 0.5, "{found:?}");
}

#[test]
fn a_face_that_fills_the_picture_is_found() {
    let faces = library();
    let close = cut(&astronaut(), 135, 80, 95, 105);
    assert_eq!(faces.detector.find_at(&close, SIDE, SIDE).unwrap(), []);
    assert_eq!(faces.read(&close).unwrap().len(), 1);
}

#[test]
fn of_a_crowd_the_ages_of_some_are_read() {
    let faces = library();
    let places: Vec<_> = (0..20).map(|at| (at % 5 * 360, at / 5 * 280)).collect();
    let crowd = on_grey(&astronaut(), 1800, 1120, &places);
    let found = faces.detector.find(&crowd).unwrap().len();
    assert!((18..=20).contains(&found), "{found}");
    assert_eq!(faces.read(&crowd).unwrap().len(), MAX_FACES);
}

#[test]
fn what_shows_no_face_has_none() {
    let faces = library();
    for shade in [|_, _| [200, 200, 200], |x, y| [x, y, x ^ y], |x, y| [x * y, x + y, y]] {
        assert_eq!(faces.read(&drawn(640, 480, shade)).unwrap(), []);
    }
}

#[test]
fn pictures_of_any_shape_are_looked_at() {
    let face = astronaut();
    let on_its_head = mirrored(&Picture { rgb: reversed_rows(&face), ..face });
    for faces in [built_in(), library()] {
        faces.read(&on_its_head).unwrap();
        for (width, height) in [(1, 1), (2, 1), (1, 5000), (5000, 1), (33, 31), (20_000, 3), (6000, 6000)] {
            faces.read(&drawn(width, height, |x, y| [x, y, x ^ y])).unwrap();
        }
    }
}

#[test]
fn models_that_are_not_there_are_named() {
    let error = Faces::open(&Runtime::built_in(), Path::new("/nowhere")).unwrap_err();
    assert!(error.0.contains("face-detector.onnx"), "{error}");
}

fn astronaut() -> Picture {
    decode(ASTRONAUT, &DecodeLimits::default()).expect("a JPEG")
}

fn mirrored(picture: &Picture) -> Picture {
    let rows = picture.rgb.chunks_exact(picture.width as usize * 3);
    let rgb =
        rows.flat_map(|row| row.chunks_exact(3).rev().flatten().copied().collect::<Vec<u8>>()).collect();
    Picture { rgb, ..*picture }
}

fn reversed_rows(picture: &Picture) -> Vec<u8> {
    picture.rgb.chunks_exact(picture.width as usize * 3).rev().flatten().copied().collect()
}

fn cut(picture: &Picture, x: u32, y: u32, width: u32, height: u32) -> Picture {
    let rows = (0..height).flat_map(|row| {
        let start = ((y + row) * picture.width + x) as usize * 3;
        &picture.rgb[start..][..width as usize * 3]
    });
    Picture { width, height, rgb: rows.copied().collect() }
}

/// Pastes the picture at each of the positions on a larger grey one.
fn on_grey(picture: &Picture, width: u32, height: u32, places: &[(u32, u32)]) -> Picture {
    let mut rgb = vec![128; (width * height * 3) as usize];
    for (x, y) in places {
        for (row, pixels) in picture.rgb.chunks_exact(picture.width as usize * 3).enumerate() {
            let start = ((y + row as u32) * width + x) as usize * 3;
            rgb[start..start + pixels.len()].copy_from_slice(pixels);
        }
    }
    Picture { width, height, rgb }
}

fn drawn(width: u32, height: u32, shade: impl Fn(u32, u32) -> [u32; 3]) -> Picture {
    let pixels = (0..width * height).map(|at| shade(at % width, at / width));
    Picture { width, height, rgb: pixels.flatten().map(|value| (value % 256) as u8).collect() }
}

fn models_dir() -> PathBuf {
    let folder = std::env::var_os("GAVEL_MODELS_DIR")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../.cache/models"), PathBuf::from);
    let there = folder.join("face-detector.onnx").exists();
    assert!(there, "there are no image models in {}: `make test` installs them", folder.display());
    folder
}

fn built_in() -> Faces {
    Faces::open(&Runtime::built_in(), &models_dir()).expect("the models work")
}

fn library() -> Faces {
    let runtime = Runtime::open(&OnnxRuntime::Auto, &models_dir());
    assert!(runtime.name().starts_with("onnxruntime "), "ONNX Runtime is not installed: {}", runtime.name());
    Faces::open(&runtime, &models_dir()).expect("the models work")
}
