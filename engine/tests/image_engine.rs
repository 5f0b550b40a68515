//! The image engine as the domain uses it, with several pictures at once. Needs the models that set-up installs.

use std::{
    io::Cursor,
    path::{Path, PathBuf},
    sync::Arc,
};

use bytes::Bytes;
use engine::{
    image::{ImageModels, ImageOptions, UnavailableImages, decode::DecodeLimits},
    runtime::OnnxRuntime,
};
use ports::image::{Background, ImageEngine, ImageFault, ImageView};

#[tokio::test(flavor = "multi_thread")]
async fn many_pictures_at_once_are_all_scored_while_probes_answer() {
    let images = Arc::new(open(2));
    let alone = images.score(png(200, 100)).await.unwrap();
    let [ImageView { scores, frame: 0, background: Background::White }] = alone.views.as_slice() else {
        panic!("{alone:?}")
    };
    assert!((scores.classes.0.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{alone:?}");
    assert_eq!(scores.model, images.model());
    let scoring: Vec<_> = (0..12)
        .map(|_| {
            let images = Arc::clone(&images);
            tokio::spawn(async move { images.score(png(200, 100)).await.unwrap() })
        })
        .collect();
    images.probe().await.unwrap();
    for scores in scoring {
        assert_eq!(scores.await.unwrap(), alone);
    }
    images.probe().await.unwrap();
}

#[tokio::test]
async fn what_is_no_picture_is_the_senders_fault() {
    let images = open(1);
    let whole = png(60, 60);
    for bytes in [Bytes::new(), Bytes::from_static(b"GIF89a"), whole.slice(..40)] {
        match images.score(bytes).await {
            Err(ImageFault::Unreadable(why)) => assert!(!why.is_empty()),
            other => panic!("{other:?}"),
        }
    }
    images.score(whole).await.unwrap();
}

#[tokio::test]
async fn nobody_waiting_any_more_blocks_nobody_else() {
    let images = Arc::new(open(1));
    for _ in 0..4 {
        let abandoned = tokio::spawn({
            let images = Arc::clone(&images);
            async move { images.score(png(300, 300)).await }
        });
        tokio::task::yield_now().await;
        abandoned.abort();
    }
    images.score(png(60, 60)).await.unwrap();
}

#[tokio::test]
async fn without_models_every_answer_is_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let options = ImageOptions { models_dir: folder.path().to_owned(), ..options(1) };
    let why = ImageModels::open(&options).err().unwrap().0;
    assert!(why.contains("nsfwjs-mobilenet-v2.json"), "{why}");
    let unavailable = UnavailableImages { why: why.clone() };
    assert_eq!(unavailable.probe().await.unwrap_err().0, why);
    assert!(matches!(unavailable.score(png(9, 9)).await, Err(ImageFault::Engine(error)) if error.0 == why));
}

fn open(parallel: usize) -> ImageModels {
    ImageModels::open(&options(parallel))
        .unwrap_or_else(|why| panic!("{why}; `make test` installs the image models"))
}

fn options(parallel: usize) -> ImageOptions {
    let models_dir = std::env::var_os("GAVEL_MODELS_DIR")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../.cache/models"), PathBuf::from);
    ImageOptions {
        models_dir,
        model: "nsfwjs-mobilenet-v2".to_owned(),
        onnx_runtime: OnnxRuntime::Auto,
        limits: DecodeLimits::default(),
        parallel,
    }
}

fn png(width: u32, height: u32) -> Bytes {
    let picture = image::RgbImage::from_fn(width, height, |x, y| {
        image::Rgb([x, y, x ^ y].map(|value| u8::try_from(value % 256).expect("below 256")))
    });
    let mut bytes = Cursor::new(Vec::new());
    picture.write_to(&mut bytes, image::ImageFormat::Png).expect("a PNG in memory");
    bytes.into_inner().into()
}
