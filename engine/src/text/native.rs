//! The native text engine: linear models that score a message in microseconds on one core. The policy decides verdicts.

use std::{ops::Range, sync::Arc};

use async_trait::async_trait;
use ports::{
    EngineError, Flow,
    text::{TextEngine, TextFault, TextInput, TextMode, TextScores},
};
use tokio::{sync::Semaphore, task::JoinHandle};

use super::{
    native_models::{NativeModels, NativeReading},
    suspects::Suspect,
    weights,
};
use crate::error::unnamed;

/// The most bytes of all messages of a request that are scored on the calling thread; more go to the blocking pool.
pub(super) const INLINE_BYTES: usize = 4_096;

/// The native engine. Cheap to clone.
#[derive(Clone, Debug)]
pub struct NativeText {
    models: Arc<NativeModels>,
    cores: Arc<Semaphore>,
}

impl NativeText {
    /// Loads the weights in the binary, and the lexicon.
    ///
    /// # Errors
    /// Weights that do not match their manifests, which a test rules out.
    pub fn load() -> Result<Self, EngineError> {
        let native = Self::with(NativeModels::with(weights::text()?)?);
        // The lexicon is read when it is first used: now, and not while a client waits.
        native.score_one(&TextInput { content: "hello".to_owned(), mode: TextMode::Native, explain: false });
        Ok(native)
    }

    /// Loads the text model of a manifest and its table, to measure other weights than those in the binary.
    ///
    /// # Errors
    /// A manifest that cannot be parsed, or a table of the wrong length.
    pub fn of(manifest: &str, table: &'static [u8]) -> Result<Self, EngineError> {
        Ok(Self::with(NativeModels::with(weights::text_of(manifest, table)?)?))
    }

    fn with(models: NativeModels) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Self { models: Arc::new(models), cores: Arc::new(Semaphore::new(cores)) }
    }

    /// Scores one message on the calling thread, in time linear in its length.
    pub fn score_one(&self, input: &TextInput) -> TextScores {
        self.models.score(input)
    }

    /// Like [`score_one`](Self::score_one), and also returns what the encoder needs.
    pub(super) fn score_windows(&self, input: &TextInput) -> (TextScores, NativeReading) {
        let reading = self.models.read(&input.content);
        (self.models.rate(input, &reading), reading)
    }

    /// The windows that the encoder should read by themselves.
    pub(super) fn suspects(&self, reading: &NativeReading, sentences: &[Range<usize>]) -> Vec<Suspect> {
        self.models.suspects(reading, sentences)
    }

    /// Starts `work` on the blocking pool once a core is free for it.
    ///
    /// # Errors
    /// None: the semaphore is never closed.
    pub(super) async fn start_on_a_core<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<JoinHandle<T>, EngineError> {
        let permit = Arc::clone(&self.cores).acquire_owned().await.map_err(unnamed)?;
        Ok(tokio::task::spawn_blocking(move || {
            let done = work();
            drop(permit);
            done
        }))
    }

    /// The model's name and version for a mode, such as `gavel-text-native-1.10.0`.
    pub fn model(&self, mode: TextMode) -> String {
        self.models.name_for(mode)
    }
}

#[async_trait]
impl TextEngine for NativeText {
    async fn score(&self, _: Flow, messages: Vec<TextInput>) -> Result<Vec<TextScores>, TextFault> {
        let bytes: usize = messages.iter().map(|message| message.content.len()).sum();
        if bytes <= INLINE_BYTES {
            return Ok(messages.iter().map(|message| self.models.score(message)).collect());
        }
        let mut tasks = Vec::new();
        for share in shares(messages, bytes) {
            let models = Arc::clone(&self.models);
            let task = self.start_on_a_core(move || {
                share.iter().map(|message| models.score(message)).collect::<Vec<TextScores>>()
            });
            tasks.push(task.await?);
        }
        let mut scores = Vec::new();
        for task in tasks {
            scores.extend(task.await.map_err(unnamed)?);
        }
        Ok(scores)
    }
}

/// Splits messages, in order, into chunks of about 16 KiB.
pub(super) fn shares(messages: Vec<TextInput>, bytes: usize) -> Vec<Vec<TextInput>> {
    let mut shares: Vec<Vec<TextInput>> = Vec::with_capacity(bytes / (4 * INLINE_BYTES) + 1);
    let mut filled = usize::MAX;
    for message in messages {
        if filled >= 4 * INLINE_BYTES {
            shares.push(Vec::new());
            filled = 0;
        }
        filled += message.content.len();
        if let Some(share) = shares.last_mut() {
            share.push(message);
        }
    }
    shares
}
