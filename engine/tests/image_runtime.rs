//! The classifiers give the same results as nsfwjs on both runtimes, also on several threads. Needs the models that
//! set-up installs.

use std::{
    path::{Path, PathBuf},
    thread,
};

use engine::{
    image::{
        ImageModels, ImageOptions,
        classifier::Classifier,
        decode::{DecodeLimits, Picture},
    },
    runtime::{OnnxRuntime, Runtime},
};
use ports::image::{Class, ClassScores};

const MODELS: [&str; 3] = ["nsfwjs-mobilenet-v2", "nsfwjs-mobilenet-v2-mid", "nsfwjs-inception-v3"];

/// The tolerance between two runtimes, and between ours and TensorFlow.js.
const TOLERANCE: f64 = 1e-4;

/// The results of nsfwjs 4.4.0 on TensorFlow.js's wasm backend for [`disk`], [`gradient`] and [`texture`], as
/// `bench/image/nsfwjs.mjs scores` prints them, in the order of [`Class::ALL`].
const NSFWJS: [[[f64; 5]; 3]; 3] = [
    [
        [0.740_434_83, 0.253_634_39, 0.000_115_75, 0.005_791_81, 0.000_023_24],
        [0.096_800_03, 0.879_077_26, 0.003_793_14, 0.019_375_61, 0.000_953_92],
        [0.350_511_04, 0.451_232_85, 0.141_301_36, 0.030_436_60, 0.026_518_20],
    ],
    [
        [0.997_829_62, 0.001_864_14, 0.000_000_21, 0.000_305_70, 0.000_000_18],
        [0.901_586_06, 0.073_570_40, 0.000_781_95, 0.022_955_62, 0.001_105_96],
        [0.999_492_29, 0.000_497_65, 0.000_006_46, 0.000_003_13, 0.000_000_32],
    ],
    [
        [0.864_190_10, 0.121_958_08, 0.001_099_29, 0.012_666_76, 0.000_085_68],
        [0.512_533_31, 0.410_347_31, 0.017_431_72, 0.053_525_32, 0.006_162_38],
        [0.991_385_10, 0.003_802_07, 0.003_203_99, 0.000_611_45, 0.000_997_46],
    ],
];

#[test]
fn both_runtimes_answer_as_nsfwjs_does() {
    let runtimes = [built_in(), library()];
    for (name, expected) in MODELS.iter().zip(&NSFWJS) {
        for runtime in &runtimes {
            let classifier = Classifier::open(runtime, &models_dir(), name).unwrap();
            for (picture, expected) in pictures().iter().zip(expected) {
                let scores = classifier.classify(picture).unwrap();
                let far = distance(scores, ClassScores(*expected));
                assert!(far <= TOLERANCE, "{name} on {}: {far}, {scores:?}", runtime.name());
            }
        }
    }
}

#[test]
fn both_runtimes_answer_alike() {
    let runtimes = [built_in(), library()];
    for name in MODELS {
        let [one, other] = runtimes.each_ref().map(|runtime| {
            let classifier = Classifier::open(runtime, &models_dir(), name).unwrap();
            noise().map(|picture| classifier.classify(&picture).unwrap()).collect::<Vec<_>>()
        });
        let far = one.iter().zip(other).map(|(one, other)| distance(*one, other)).fold(0.0, f64::max);
        assert!(far <= TOLERANCE, "{name}: {far}");
    }
}

#[test]
fn an_answer_does_not_depend_on_what_else_is_asked_at_the_same_time() {
    for runtime in [built_in(), library()] {
        let classifier = Classifier::open(&runtime, &models_dir(), MODELS[0]).unwrap();
        let pictures = pictures();
        let alone = pictures.each_ref().map(|picture| classifier.classify(picture).unwrap());
        thread::scope(|scope| {
            for _ in 0..6 {
                scope.spawn(|| {
                    for (picture, alone) in pictures.iter().zip(alone) {
                        assert_eq!(classifier.classify(picture).unwrap(), alone, "{}", runtime.name());
                    }
                });
            }
        });
    }
}

#[test]
fn an_error_of_a_model_names_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    assert!(fault_of_mine(folder).contains("mine.json"));
    let manifest = std::fs::read_to_string(models_dir().join(format!("{}.json", MODELS[0]))).unwrap();
    write_mine(folder, &manifest);
    assert!(fault_of_mine(folder).contains("`name`"), "{}", fault_of_mine(folder));
    let manifest = manifest.replace(MODELS[0], "mine");
    write_mine(folder, &manifest);
    assert!(fault_of_mine(folder).contains("mine.onnx"), "{}", fault_of_mine(folder));
    std::fs::write(folder.join("mine.onnx"), b"no model").unwrap();
    assert!(fault_of_mine(folder).contains("mine.onnx"), "{}", fault_of_mine(folder));
    std::fs::copy(models_dir().join(format!("{}.onnx", MODELS[0])), folder.join("mine.onnx")).unwrap();
    write_mine(folder, &manifest.replace("\"Sexy\"", "\"Sexy\", \"Sexy\""));
    let fault = fault_of_mine(folder);
    assert!(fault.contains("5 outputs, its manifest 6 labels"), "{fault}");
    write_mine(folder, &manifest.replace("224", "192"));
    assert!(fault_of_mine(folder).contains("mine"), "{}", fault_of_mine(folder));
    write_mine(folder, &manifest);
    assert!(Classifier::open(&built_in(), folder, "mine").is_ok());
}

/// Why the classifier `mine` cannot be opened.
fn fault_of_mine(folder: &Path) -> String {
    Classifier::open(&built_in(), folder, "mine").expect_err("a faulty classifier").0
}

fn write_mine(folder: &Path, manifest: &str) {
    std::fs::write(folder.join("mine.json"), manifest).expect("a file");
}

#[test]
fn the_engine_names_what_decided() {
    let options = ImageOptions {
        models_dir: models_dir(),
        model: MODELS[0].to_owned(),
        onnx_runtime: OnnxRuntime::Off,
        limits: DecodeLimits::default(),
        parallel: 1,
    };
    let images = ImageModels::open(&options).unwrap();
    assert!(images.model().starts_with("nsfwjs-mobilenet-v2-4.4.0"), "{}", images.model());
    assert!(images.model().ends_with("(rten 0.27)"), "{}", images.model());
}

fn models_dir() -> PathBuf {
    let folder = std::env::var_os("GAVEL_MODELS_DIR")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../.cache/models"), PathBuf::from);
    let there = folder.join(format!("{}.onnx", MODELS[0])).exists();
    assert!(there, "there are no image models in {}: `make test` installs them", folder.display());
    folder
}

fn built_in() -> Runtime {
    Runtime::built_in()
}

fn library() -> Runtime {
    let runtime = Runtime::open(&OnnxRuntime::Auto, &models_dir());
    assert!(runtime.name().starts_with("onnxruntime "), "ONNX Runtime is not installed: {}", runtime.name());
    runtime
}

fn pictures() -> [Picture; 3] {
    [picture(disk), picture(gradient), picture(texture)]
}

fn picture(shade: impl Fn(u32, u32) -> [u32; 3]) -> Picture {
    let width = 320;
    let height = 240;
    let pixels = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
    let rgb = pixels
        .flat_map(|(x, y)| shade(x, y))
        .map(|value| u8::try_from(value).expect("a shade is below 256"))
        .collect();
    Picture { width, height, rgb }
}

fn disk(x: u32, y: u32) -> [u32; 3] {
    if x.abs_diff(160).pow(2) + y.abs_diff(120).pow(2) < 90 * 90 {
        // Offsets keep the numbers positive: 230 + (y - 120) / 8 and 170 + (x - 160) / 8, rounded down.
        [230 + (y + 40) / 8 - 20, 170 + x / 8 - 20, 140]
    } else {
        [40 + x / 4, 60 + y / 4, 90]
    }
}

fn gradient(x: u32, y: u32) -> [u32; 3] {
    [x * 255 / 319, y * 255 / 239, (x + y) * 255 / 558]
}

fn texture(x: u32, y: u32) -> [u32; 3] {
    [(x * 7 + y * 3) % 256, (x * x / 16 + y * 5) % 256, ((x ^ y) * 5) % 256]
}

/// Pictures of random sizes with blotches of many sizes.
fn noise() -> impl Iterator<Item = Picture> {
    let sizes = [(1, 1), (2, 300), (97, 61), (224, 224), (640, 480), (1023, 31)];
    sizes.into_iter().map(|(width, height)| noise_of(width, height))
}

fn noise_of(width: u32, height: u32) -> Picture {
    let mut state = width * 7919 + height;
    let blotch = width.min(height) / 7 + 1;
    let columns = width.div_ceil(blotch);
    let colours: Vec<[u8; 3]> = (0..columns * height.div_ceil(blotch))
        .map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let [_, blue, green, red] = state.to_le_bytes();
            [red, green, blue]
        })
        .collect();
    let mut rgb = Vec::with_capacity((width * height * 3) as usize);
    for y in 0..height {
        for x in 0..width {
            rgb.extend(colours[(y / blotch * columns + x / blotch) as usize]);
        }
    }
    Picture { width, height, rgb }
}

fn distance(one: ClassScores, other: ClassScores) -> f64 {
    Class::ALL.into_iter().map(|class| (one[class] - other[class]).abs()).fold(0.0, f64::max)
}
