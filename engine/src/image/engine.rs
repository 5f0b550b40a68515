//! The image engine: bytes to scores. Refuses to hold more decoded pictures than it may work on at once; those that
//! wait are held as they came.

use std::{
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use async_trait::async_trait;
use bytes::Bytes;
use domain::{
    EngineError,
    moderation::image::{ImageEngine, ImageFault, ImageScores},
};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::{
    classifier::Classifier,
    decode::{DecodeLimits, Picture, decode},
    face::Faces,
};
use crate::{
    model_files,
    runtime::{OnnxRuntime, Runtime},
};

/// How long a probe waits for its turn, and how long a scored picture speaks for the engine while it is busy.
const PROBE_TIMEOUT: Duration = Duration::from_secs(10);

/// Where the face detector and the age net are from, as `models/models.lock` pins them.
const FACE_MODELS: &str = "face-api-1.7.15";

/// Sides of the picture that a probe scores.
const PROBE_SIDE: u32 = 64;

/// What an image engine needs to know.
#[derive(Clone, Debug)]
pub struct ImageOptions {
    /// The folder with the models, and perhaps with ONNX Runtime.
    pub models_dir: PathBuf,
    /// The classifier: the name of a manifest in that folder.
    pub model: String,
    /// What runs the models.
    pub onnx_runtime: OnnxRuntime,
    /// How large a picture may be.
    pub limits: DecodeLimits,
    /// Pictures worked on at once, each by one thread; 0 is as many as there are cores.
    pub parallel: usize,
}

/// Decodes, classifies and finds faces.
pub struct Images {
    models: Arc<Models>,
    turns: Arc<Semaphore>,
    /// When models last gave scores.
    last_scored: Arc<Mutex<Instant>>,
}

/// An engine that cannot answer, because its models are not there.
pub struct Unavailable {
    /// Why not; for the log.
    pub why: String,
}

struct Models {
    name: String,
    classifier: Classifier,
    faces: Faces,
    limits: DecodeLimits,
}

impl Images {
    /// Loads the models and tries them. Blocks for up to seconds.
    ///
    /// # Errors
    /// Names the file that is missing or wrong.
    pub fn open(options: &ImageOptions) -> Result<Self, EngineError> {
        let files = [&format!("{}.onnx", options.model), "face-detector.onnx", "face-age.onnx"];
        model_files::check(&options.models_dir, &files).map_err(EngineError)?;
        let runtime = Runtime::open(&options.onnx_runtime, &options.models_dir);
        let classifier = Classifier::open(&runtime, &options.models_dir, &options.model)?;
        let faces = Faces::open(&runtime, &options.models_dir)?;
        let name = format!("{}+{FACE_MODELS} ({})", classifier.name(), runtime.name());
        let models = Models { name, classifier, faces, limits: options.limits.clone() };
        models.look(&probe_picture())?;
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

    /// Names and versions of the models, and of the runtime that runs them.
    pub fn model(&self) -> &str {
        &self.models.name
    }

    /// Does the work on a thread that may block. The turn ends when the work does, though nobody waits for it any more.
    async fn work<T: Send + 'static>(
        &self,
        turn: OwnedSemaphorePermit,
        work: impl FnOnce(&Models) -> Result<T, ImageFault> + Send + 'static,
    ) -> Result<T, ImageFault> {
        let (models, last_scored) = (Arc::clone(&self.models), Arc::clone(&self.last_scored));
        let done = tokio::task::spawn_blocking(move || {
            let result = work(&models);
            if result.is_ok() {
                *last_scored.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
            }
            drop(turn);
            result
        });
        done.await.unwrap_or_else(|error| Err(EngineError(format!("scoring a picture: {error}")).into()))
    }

    async fn turn(&self) -> OwnedSemaphorePermit {
        let turns = Arc::clone(&self.turns);
        turns.acquire_owned().await.expect("the semaphore is never closed")
    }

    fn scored_lately(&self) -> bool {
        self.last_scored.lock().unwrap_or_else(PoisonError::into_inner).elapsed() < PROBE_TIMEOUT
    }
}

#[async_trait]
impl ImageEngine for Images {
    async fn score(&self, image: Bytes) -> Result<ImageScores, ImageFault> {
        let turn = self.turn().await;
        self.work(turn, move |models| {
            let picture = decode(&image, &models.limits).map_err(|error| ImageFault::Unreadable(error.0))?;
            drop(image);
            Ok(models.look(&picture)?)
        })
        .await
    }

    /// While every turn is taken, pictures that get their scores say that it works, and a probe need not queue.
    async fn probe(&self) -> Result<(), EngineError> {
        if self.turns.available_permits() == 0 && self.scored_lately() {
            return Ok(());
        }
        let Ok(turn) = tokio::time::timeout(PROBE_TIMEOUT, self.turn()).await else {
            let seconds = PROBE_TIMEOUT.as_secs();
            return Err(EngineError(format!("no picture was done with within {seconds} s")));
        };
        match self.work(turn, |models| Ok(models.look(&probe_picture())?)).await {
            Ok(_) => Ok(()),
            Err(ImageFault::Engine(error)) => Err(error),
            Err(ImageFault::Unreadable(why)) => Err(EngineError(why)),
        }
    }
}

impl Models {
    fn look(&self, picture: &Picture) -> Result<ImageScores, EngineError> {
        let classes = self.classifier.classify(picture)?;
        let faces = self.faces.read(picture)?;
        Ok(ImageScores { model: self.name.clone(), classes, faces })
    }
}

/// A gradient: no face, and every class of pixel.
fn probe_picture() -> Picture {
    let shade =
        |x: u32, y: u32| [x * 4, y * 4, (x + y) * 2].map(|value| u8::try_from(value).unwrap_or(u8::MAX));
    let rows = (0..PROBE_SIDE).flat_map(|y| (0..PROBE_SIDE).flat_map(move |x| shade(x, y)));
    Picture { width: PROBE_SIDE, height: PROBE_SIDE, rgb: rows.collect() }
}

#[async_trait]
impl ImageEngine for Unavailable {
    async fn score(&self, _: Bytes) -> Result<ImageScores, ImageFault> {
        Err(EngineError(self.why.clone()).into())
    }

    async fn probe(&self) -> Result<(), EngineError> {
        Err(EngineError(self.why.clone()))
    }
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
