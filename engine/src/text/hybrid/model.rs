//! The encoders with their decoders. Each has a queue of its own, and the weights that combine its scores with the
//! native ones.

use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};

use ports::{
    EngineError, Flow,
    text::{TextFault, links},
};

use super::{
    config::{HybridConfig, HybridFit},
    encoder_text::encoder_text,
    options::HybridOptions,
};
use crate::{
    encoder::{
        Backbone, BatchJob, Batcher, Denoised, DiffusionDecoder, QueueError, QueueLimits, QueueOrder,
        Sequence, TokenEmbeddings, Weights,
    },
    error::{named, unnamed},
    runtime::Runtime,
    text::language::TextEncoder,
};

/// Tokens of a window, without the two that begin and end it.
pub(super) const WINDOW: usize = 254;
/// Tokens between the starts of two windows.
const STRIDE: usize = 190;
/// The most windows of a message: 3,104 tokens. Only the native model reads the rest.
const MAX_WINDOWS: usize = 16;
/// Tokens in a batch: one window. Larger batches are no faster and delay other requests.
const BATCH_TOKENS: usize = 256;
/// A request is admitted if it will be done within this time.
const DONE_WITHIN: Duration = Duration::from_secs(15);

/// A value for each encoder.
pub(super) struct PerEncoder<T> {
    pub(super) english: T,
    pub(super) multilingual: T,
}

impl<T> PerEncoder<T> {
    pub(super) fn of(&self, encoder: TextEncoder) -> &T {
        match encoder {
            TextEncoder::English => &self.english,
            TextEncoder::Multilingual => &self.multilingual,
        }
    }

    pub(super) fn of_mut(&mut self, encoder: TextEncoder) -> &mut T {
        match encoder {
            TextEncoder::English => &mut self.english,
            TextEncoder::Multilingual => &mut self.multilingual,
        }
    }
}

/// The files of an encoder.
pub(super) struct EncoderFiles {
    pub(super) weights: Weights,
    /// What was fitted after the weights were made, in JSON.
    pub(super) fit: Option<&'static str>,
}

/// An encoder with its decoder. Its graphs, its tokenizer and its threads are created on first use, since in most
/// installations nobody writes in a language that the multilingual encoder reads.
pub(super) struct EncoderModel {
    encoder: TextEncoder,
    pub(super) name: String,
    pub(super) config: HybridConfig,
    weights: Weights,
    runtime: Runtime,
    options: HybridOptions,
    loaded: OnceLock<Result<LoadedEncoder, EngineError>>,
}

/// The parts of an encoder that are created on first use.
struct LoadedEncoder {
    embeddings: Arc<TokenEmbeddings>,
    batcher: Batcher<Sequence, Denoised>,
}

impl EncoderModel {
    /// Reads the metadata of a weight file, and what was fitted later.
    ///
    /// # Errors
    /// A file of another format, or metadata that is missing or wrong.
    pub(super) fn open(
        encoder: TextEncoder,
        files: EncoderFiles,
        runtime: &Runtime,
        options: &HybridOptions,
    ) -> Result<Self, EngineError> {
        let weights = files.weights;
        let fit: Option<HybridFit> = files.fit.map(serde_json::from_str).transpose().map_err(unnamed)?;
        let version = fit.as_ref().map_or(&weights.version, |fit| &fit.version);
        let name = format!("{}-{version}", weights.name);
        Ok(Self {
            encoder,
            config: HybridConfig::parse(&weights.config, fit).map_err(|error| named(&name, error))?,
            name,
            weights,
            runtime: runtime.clone(),
            options: options.clone(),
            loaded: OnceLock::new(),
        })
    }

    /// Loads the model if necessary. Blocks for a fraction of a second. A failure is final.
    ///
    /// # Errors
    /// A tensor or a file that is missing or wrong.
    pub(super) fn load(&self) -> Result<(), EngineError> {
        self.loaded().map(|_| ())
    }

    /// Whether loading has finished, with or without success.
    pub(super) fn is_loaded(&self) -> bool {
        self.loaded.get().is_some()
    }

    fn loaded(&self) -> Result<&LoadedEncoder, EngineError> {
        self.loaded.get_or_init(|| self.create()).as_ref().map_err(Clone::clone)
    }

    fn create(&self) -> Result<LoadedEncoder, EngineError> {
        let weights = &self.weights;
        let embeddings = match self.encoder {
            TextEncoder::English => TokenEmbeddings::shared(&self.options.models_dir)?,
            TextEncoder::Multilingual => {
                let embeddings = TokenEmbeddings::of_weights(weights);
                Arc::new(embeddings.map_err(|error| named(&self.name, error))?)
            }
        };
        let layers = weights.layers();
        let backbone = Backbone::load(&self.runtime, Arc::clone(&embeddings), weights, layers)?;
        let decoder = DiffusionDecoder::load(&self.runtime, weights)?;
        weights.release_pages();
        let steps = self.config.steps;
        let limits = QueueLimits {
            threads: self.options.threads,
            batch: BATCH_TOKENS,
            done_within: DONE_WITHIN,
            background: false,
        };
        let queue = match self.encoder {
            TextEncoder::English => "gavel-text",
            TextEncoder::Multilingual => "gavel-texts",
        };
        let batcher = Batcher::start(queue, limits, move |batch: &[Sequence]| {
            let batch: Vec<&Sequence> = batch.iter().collect();
            decoder.denoise(&backbone.run(&batch)?, &batch, steps)
        })?;
        Ok(LoadedEncoder { embeddings, batcher })
    }

    /// The sequences of a whole message, one for each window of tokens.
    ///
    /// # Errors
    /// A failure of the tokenizer.
    pub(super) fn whole(&self, message: &str) -> Result<Vec<Sequence>, EngineError> {
        let tokens = self.tokenize(&encoder_text(self.encoder, message, &links::find(message)))?;
        let mut windows = Vec::new();
        for start in (0..).step_by(STRIDE).take(MAX_WINDOWS) {
            let end = tokens.len().min(start + WINDOW);
            windows.push(self.sequence(&tokens[start..end])?);
            if end == tokens.len() {
                break;
            }
        }
        Ok(windows)
    }

    /// Tokenizes a text that [`encoder_text`] prepared.
    ///
    /// # Errors
    /// A failure of the tokenizer, or of loading the model.
    pub(super) fn tokenize(&self, text: &str) -> Result<Vec<u32>, EngineError> {
        self.loaded()?.embeddings.tokenize(text)
    }

    /// The sequence of a window.
    ///
    /// # Errors
    /// A failure of loading the model.
    pub(super) fn sequence(&self, tokens: &[u32]) -> Result<Sequence, EngineError> {
        let special = self.loaded()?.embeddings.special();
        let ids: Vec<u32> = [&[special.begin], tokens, &[special.end]].concat();
        Ok(Sequence {
            segments: vec![0; ids.len()],
            positions: (0..=u16::MAX).take(ids.len()).collect(),
            ids,
            owners: Vec::new(),
            ranks: Vec::new(),
            markers: Vec::new(),
        })
    }

    /// Runs the decoder on groups of sequences.
    ///
    /// # Errors
    /// [`TextFault::Busy`] before anything starts, or the first failure.
    pub(super) async fn denoise(
        &self,
        flow: Flow,
        groups: Vec<Vec<Sequence>>,
    ) -> Result<Vec<Vec<Denoised>>, TextFault> {
        let counts: Vec<usize> = groups.iter().map(Vec::len).collect();
        let jobs = groups.into_iter().flatten().map(|sequence| BatchJob {
            shape: sequence.padded_len(),
            tokens: sequence.padded_len(),
            work: sequence,
        });
        let jobs: Vec<_> = jobs.collect();
        if jobs.is_empty() {
            return Ok(vec![Vec::new(); counts.len()]);
        }
        let denoised = self.loaded()?.batcher.run(QueueOrder::first(flow), jobs).await;
        let denoised = denoised.map_err(|error| match error {
            QueueError::Busy | QueueError::GroupTooLong { .. } => TextFault::Busy,
            QueueError::Failed(error) => TextFault::Engine(error),
        })?;
        let mut rest = denoised.into_iter();
        Ok(counts.into_iter().map(|count| rest.by_ref().take(count).collect()).collect())
    }
}
