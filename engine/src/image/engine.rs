//! The image engine: decodes a file and runs the models on it. At most `parallel` pictures are decoded at a time;
//! waiting ones stay encoded.

use std::{
    ops::ControlFlow,
    panic::{AssertUnwindSafe, catch_unwind},
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant},
};

use async_trait::async_trait;
use bytes::Bytes;
use parking_lot::Mutex;
use ports::{
    EngineError,
    image::{ImageEngine, ImageFault, ImageReading, ImageScores, ImageView},
};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::{
    classifier::Classifier,
    decode::{DecodeLimits, Picture, View, views},
    face::Faces,
};
use crate::{
    error::named,
    model_files,
    runtime::{OnnxRuntime, Runtime},
};

/// The timeout of a probe. While the engine is busy, a picture that was scored within this time counts as a success.
const PROBE_TIMEOUT: Duration = Duration::from_secs(10);

/// The package of the face detector and the age net, as pinned in `models/models.lock`.
const FACE_MODELS: &str = "face-api-1.7.15";

/// The side of the picture that a probe scores.
const PROBE_SIDE: u32 = 64;

/// The settings of an image engine.
#[derive(Clone, Debug)]
pub struct ImageOptions {
    /// The folder with the models and, if installed, ONNX Runtime.
    pub models_dir: PathBuf,
    /// The classifier's name: `<model>.json` and `<model>.onnx` in that folder.
    pub model: String,
    pub onnx_runtime: OnnxRuntime,
    /// The largest picture.
    pub limits: DecodeLimits,
    /// Pictures processed at a time, each on one thread; 0 means one for each core.
    pub parallel: usize,
}

/// The image engine.
pub struct ImageModels {
    models: Arc<LoadedModels>,
    turns: Arc<Semaphore>,
    last_scored: Arc<Mutex<Instant>>,
}

struct LoadedModels {
    name: String,
    classifier: Classifier,
    faces: Faces,
    limits: DecodeLimits,
}

impl ImageModels {
    /// Loads the models and runs them once. Can block for seconds.
    ///
    /// # Errors
    /// The file that is missing or wrong.
    pub fn open(options: &ImageOptions) -> Result<Self, EngineError> {
        let files = [&format!("{}.onnx", options.model), "face-detector.onnx", "face-age.onnx"];
        model_files::check(&options.models_dir, &files)?;
        let runtime = Runtime::open(&options.onnx_runtime, &options.models_dir);
        let classifier = Classifier::open(&runtime, &options.models_dir, &options.model)?;
        let faces = Faces::open(&runtime, &options.models_dir)?;
        let name = format!("{}+{FACE_MODELS} ({})", classifier.name(), runtime.name());
        let models = LoadedModels { name, classifier, faces, limits: options.limits.clone() };
        models.score(&probe_picture())?;
        let parallel = match options.parallel {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            parallel => parallel,
        };
        Ok(Self {
            models: Arc::new(models),
            turns: Arc::new(Semaphore::new(parallel)),
            last_scored: Arc::new(Mutex::new(Instant::now())),
        })
    }

    /// The names and versions of the models and of the runtime.
    pub fn model(&self) -> &str {
        &self.models.name
    }

    /// Runs `work` on the blocking pool. Holds the permit until the work ends, even if the caller has gone.
    async fn work<T: Send + 'static>(
        &self,
        turn: OwnedSemaphorePermit,
        work: impl FnOnce(&LoadedModels) -> Result<T, ImageFault> + Send + 'static,
    ) -> Result<T, ImageFault> {
        let models = Arc::clone(&self.models);
        let last_scored = Arc::clone(&self.last_scored);
        let done = tokio::task::spawn_blocking(move || {
            let result = work(&models);
            if result.is_ok() {
                *last_scored.lock() = Instant::now();
            }
            drop(turn);
            result
        });
        done.await.unwrap_or_else(|error| Err(named("scoring a picture", error).into()))
    }

    async fn turn(&self) -> OwnedSemaphorePermit {
        let turns = Arc::clone(&self.turns);
        turns.acquire_owned().await.expect("the semaphore is never closed")
    }

    fn scored_recently(&self) -> bool {
        self.last_scored.lock().elapsed() < PROBE_TIMEOUT
    }
}

#[async_trait]
impl ImageEngine for ImageModels {
    async fn score(&self, image: Bytes) -> Result<ImageReading, ImageFault> {
        let turn = self.turn().await;
        self.work(turn, move |models| models.read(&image)).await
    }

    /// Scores a test picture. While all permits are taken, a recently scored picture counts instead.
    async fn probe(&self) -> Result<(), EngineError> {
        if self.turns.available_permits() == 0 && self.scored_recently() {
            return Ok(());
        }
        let Ok(turn) = tokio::time::timeout(PROBE_TIMEOUT, self.turn()).await else {
            let seconds = PROBE_TIMEOUT.as_secs();
            return Err(EngineError(format!("no picture was finished within {seconds} s")));
        };
        match self.work(turn, |models| Ok(models.score(&probe_picture())?)).await {
            Ok(_) => Ok(()),
            Err(ImageFault::Engine(error)) => Err(error),
            Err(ImageFault::Unreadable(why)) => Err(EngineError(why)),
        }
    }
}

impl LoadedModels {
    /// Scores each way to see a file while it is decoded, so that one picture at a time is in memory.
    fn read(&self, image: &[u8]) -> Result<ImageReading, ImageFault> {
        let mut seen = Vec::new();
        let mut failure = None;
        let extent = views(image, &self.limits, &mut |view| match self.see(view) {
            Ok(view) => {
                seen.push(view);
                ControlFlow::Continue(())
            }
            Err(error) => {
                failure = Some(error);
                ControlFlow::Break(())
            }
        });
        if let Some(error) = failure {
            return Err(error.into());
        }
        let extent = extent.map_err(|error| ImageFault::Unreadable(error.0))?;
        Ok(ImageReading { views: seen, truncated: extent.truncated, frames: extent.frames })
    }

    /// Scores a view. A panic is the models' and not the decoder's, which would have the client's file refused.
    fn see(&self, view: View) -> Result<ImageView, EngineError> {
        let View { picture, frame, background } = view;
        let scored = catch_unwind(AssertUnwindSafe(|| self.score(&picture)));
        let scores = scored.unwrap_or_else(|_| Err(EngineError("scoring a picture panicked".to_owned())))?;
        Ok(ImageView { scores, frame, background })
    }

    fn score(&self, picture: &Picture) -> Result<ImageScores, EngineError> {
        let classes = self.classifier.classify(picture)?;
        let faces = self.faces.read(picture)?;
        Ok(ImageScores { model: self.name.clone(), classes, faces })
    }
}

/// A gradient without a face.
fn probe_picture() -> Picture {
    let rows = (0..PROBE_SIDE).flat_map(|y| (0..PROBE_SIDE).flat_map(move |x| probe_pixel(x, y)));
    Picture { width: PROBE_SIDE, height: PROBE_SIDE, rgb: rows.collect() }
}

fn probe_pixel(x: u32, y: u32) -> [u8; 3] {
    [x * 4, y * 4, (x + y) * 2].map(|value| u8::try_from(value).unwrap_or(u8::MAX))
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_face_models_have_the_version_of_the_lock() {
        let lock = include_str!("../../../models/models.lock");
        let version = super::FACE_MODELS.trim_start_matches("face-api-");
        assert!(lock.contains(&format!("name = \"@vladmandic/face-api\"\nversion = \"{version}\"\n")));
    }
}
