//! Models that are loaded when they are first used. A process starts at once and holds only what it uses; the first
//! request to a model waits for it.

use std::{
    path::Path,
    sync::{Arc, OnceLock},
    time::{Duration, Instant},
};

use async_trait::async_trait;
use bytes::Bytes;
use parking_lot::Mutex;
use ports::{
    EngineError, Flow,
    decision::{Decision, DecisionBackend, DecisionFault, DecisionInput, HeadStore, ModelInfo},
    image::{ImageEngine, ImageFault, ImageReading},
    text::{TextEngine, TextFault, TextInput, TextMode, TextScores},
    training::{Trained, Trainer, TrainingControl, TrainingError, TrainingRequest},
};
use serde::Deserialize;

use crate::{
    decision::{DecisionModel, DecisionOptions, embedded_backbone, embedded_model_infos},
    encoder::{E5_TABLE, E5_TOKENIZER, TABLE, TOKENIZER},
    fine_tune::FineTuner,
    image::{ImageModels, ImageOptions},
    text::{HybridOptions, HybridText, NativeText},
};

/// How long a model that could not be loaded is not tried again: loading takes seconds.
const RETRY_AFTER: Duration = Duration::from_secs(30);

/// The setting `load_models`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LoadModels {
    /// Before the process listens.
    AtStart,
    /// With the first request that needs the model.
    OnFirstUse,
}

/// The hybrid text model, loaded with the first message in `hybrid` mode.
pub struct LazyText {
    native: NativeText,
    hybrid: LazyModel<HybridText>,
}

/// The image models, loaded with the first picture.
pub struct LazyImages(LazyModel<ImageModels>);

/// The decision model, loaded with the first question.
pub struct LazyDecisions {
    model: LazyModel<DecisionModel>,
    infos: Vec<ModelInfo>,
}

/// A trainer on the model of [`LazyDecisions`].
pub struct LazyTrainer {
    model: LazyModel<DecisionModel>,
    threads: usize,
}

impl LazyText {
    /// # Errors
    /// The file that is missing.
    pub fn new(native: NativeText, options: HybridOptions) -> Result<Self, EngineError> {
        require(&options.models_dir, &[TABLE, TOKENIZER])?;
        let hybrid = LazyModel::new({
            let native = native.clone();
            move || HybridText::open(native.clone(), &options)
        });
        Ok(Self { native, hybrid })
    }
}

impl LazyImages {
    /// # Errors
    /// The file that is missing.
    pub fn new(options: ImageOptions) -> Result<Self, EngineError> {
        let classifier = format!("{}.onnx", options.model);
        require(&options.models_dir, &[&classifier, "face-detector.onnx", "face-age.onnx"])?;
        Ok(Self(LazyModel::new(move || ImageModels::open(&options))))
    }
}

impl LazyDecisions {
    /// The model in the binary. `heads` and `cache_bytes` are those of [`DecisionModel::with_checkpoints`].
    ///
    /// # Errors
    /// The file that is missing.
    pub fn new(
        options: DecisionOptions,
        heads: Option<Arc<dyn HeadStore>>,
        cache_bytes: usize,
    ) -> Result<Self, EngineError> {
        require(&options.models_dir, &[TABLE, TOKENIZER, E5_TABLE, E5_TOKENIZER])?;
        let model = LazyModel::new(move || {
            let model = DecisionModel::open(&options)?;
            Ok(match &heads {
                Some(heads) => model.with_checkpoints(Arc::clone(heads), cache_bytes),
                None => model,
            })
        });
        Ok(Self { model, infos: embedded_model_infos()? })
    }

    /// A trainer on this model, with a number of threads, at least one.
    #[must_use]
    pub fn trainer(&self, threads: usize) -> LazyTrainer {
        LazyTrainer { model: self.model.clone(), threads }
    }
}

impl LazyTrainer {
    fn load(&self) -> Result<FineTuner, EngineError> {
        FineTuner::new(self.model.load()?, self.threads)
    }
}

#[async_trait]
impl TextEngine for LazyText {
    async fn score(&self, flow: Flow, messages: Vec<TextInput>) -> Result<Vec<TextScores>, TextFault> {
        if messages.iter().all(|message| message.mode == TextMode::Native) {
            return self.native.score(flow, messages).await;
        }
        self.hybrid.get().await?.score(flow, messages).await
    }

    /// Probes the hybrid model once it is loaded, and until then the native one.
    async fn probe(&self) -> Result<(), EngineError> {
        match self.hybrid.loaded() {
            Some(hybrid) => hybrid?.probe().await,
            None => self.native.probe().await,
        }
    }
}

#[async_trait]
impl ImageEngine for LazyImages {
    async fn score(&self, image: Bytes) -> Result<ImageReading, ImageFault> {
        self.0.get().await?.score(image).await
    }

    /// Probes the models once they are loaded; does not load them.
    async fn probe(&self) -> Result<(), EngineError> {
        match self.0.loaded() {
            Some(images) => images?.probe().await,
            None => Ok(()),
        }
    }
}

#[async_trait]
impl DecisionBackend for LazyDecisions {
    fn name(&self) -> &'static str {
        "local"
    }

    fn is_remote(&self) -> bool {
        false
    }

    fn models(&self) -> Vec<ModelInfo> {
        self.infos.clone()
    }

    fn takes_any_model(&self) -> bool {
        false
    }

    async fn decide(&self, input: DecisionInput) -> Result<Decision, DecisionFault> {
        let model = self.model.get().await.map_err(DecisionFault::Engine)?;
        model.decide(input).await
    }

    async fn embed(&self, flow: Flow, texts: Vec<String>) -> Result<Option<Vec<Vec<f32>>>, DecisionFault> {
        let model = self.model.get().await.map_err(DecisionFault::Engine)?;
        model.embed(flow, texts).await
    }

    /// Probes the model once it is loaded; does not load it.
    async fn probe(&self) -> Result<(), EngineError> {
        match self.model.loaded() {
            Some(model) => model?.probe().await,
            None => Ok(()),
        }
    }
}

impl Trainer for LazyTrainer {
    fn backbone(&self) -> &str {
        embedded_backbone()
    }

    fn train(
        &self,
        request: TrainingRequest<'_>,
        control: &dyn TrainingControl,
    ) -> Result<Trained, TrainingError> {
        self.load()?.train(request, control)
    }

    fn evaluator(&self, head: Option<&[u8]>) -> Result<Arc<dyn DecisionBackend>, EngineError> {
        self.load()?.evaluator(head)
    }
}

/// A model that is loaded when it is first used. After a failure it is loaded again, but not at once.
struct LazyModel<M>(Arc<LazyState<M>>);

type Load<M> = dyn Fn() -> Result<M, EngineError> + Send + Sync;

struct LazyState<M> {
    load: Box<Load<M>>,
    loaded: OnceLock<Arc<M>>,
    /// Held while the model is being loaded.
    failed: Mutex<Option<Failed>>,
}

/// A load that failed.
struct Failed {
    at: Instant,
    why: EngineError,
}

impl<M: Send + Sync + 'static> LazyModel<M> {
    fn new(load: impl Fn() -> Result<M, EngineError> + Send + Sync + 'static) -> Self {
        Self(Arc::new(LazyState { load: Box::new(load), loaded: OnceLock::new(), failed: Mutex::default() }))
    }

    /// The model, or why it could not be loaded; none if nobody has used it, or while it is being loaded.
    fn loaded(&self) -> Option<Result<Arc<M>, EngineError>> {
        if let Some(model) = self.0.loaded.get() {
            return Some(Ok(Arc::clone(model)));
        }
        let failed = self.0.failed.try_lock()?;
        failed.as_ref().map(|failed| Err(failed.why.clone()))
    }

    /// Loads the model unless it is loaded, or loading it has just failed. Can block for seconds.
    fn load(&self) -> Result<Arc<M>, EngineError> {
        let mut failed = self.0.failed.lock();
        if let Some(model) = self.0.loaded.get() {
            return Ok(Arc::clone(model));
        }
        if let Some(Failed { why, .. }) = failed.as_ref().filter(|failed| failed.at.elapsed() < RETRY_AFTER) {
            return Err(why.clone());
        }
        match (self.0.load)() {
            Ok(model) => {
                *failed = None;
                Ok(Arc::clone(self.0.loaded.get_or_init(|| Arc::new(model))))
            }
            Err(why) => {
                tracing::error!(%why, "a model could not be loaded");
                *failed = Some(Failed { at: Instant::now(), why: why.clone() });
                Err(why)
            }
        }
    }

    /// Loads the model on the blocking pool unless it is loaded.
    async fn get(&self) -> Result<Arc<M>, EngineError> {
        if let Some(model) = self.0.loaded.get() {
            return Ok(Arc::clone(model));
        }
        let model = self.clone();
        let loaded = tokio::task::spawn_blocking(move || model.load()).await;
        loaded.unwrap_or_else(|error| Err(EngineError(error.to_string())))
    }
}

// A derive would ask for a model that is `Clone`.
impl<M> Clone for LazyModel<M> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

/// Checks that files exist, without reading them.
fn require(models_dir: &Path, files: &[&str]) -> Result<(), EngineError> {
    for file in files {
        let path = models_dir.join(file);
        std::fs::metadata(&path).map_err(|error| EngineError(format!("{}: {error}", path.display())))?;
    }
    Ok(())
}
