//! The encoders with their decoders, each with a queue of its own and with the weights that combine its scores with the native ones.

use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};

use ports::{
    EngineError, Flow,
    text::{TextFault, links},
};

use super::{HybridOptions, config::Config, read::encoder_text};
use crate::{
    encoder::{
        Backbone, Batcher, Denoised, DiffusionDecoder, Job, Order, QueueError, QueueLimits, Sequence,
        TokenEmbeddings, Weights,
    },
    runtime::Runtime,
    text::language::Encoder,
};

/// Tokens of a window, without the two that begin and end it, and tokens between the starts of two windows.
pub(super) const WINDOW: usize = 254;
const STRIDE: usize = 190;
/// The most windows of a message: 3,104 tokens. The rest is read by the native model only.
const MAX_WINDOWS: usize = 16;
/// Tokens in a batch. Larger batches are no faster and delay other requests.
const BATCH_TOKENS: usize = 512;
/// The most work in the queue, in time.
const QUEUED_WORK: Duration = Duration::from_secs(15);

/// One thing for each encoder.
pub(super) struct PerEncoder<T> {
    pub(super) english: T,
    pub(super) multilingual: T,
}

impl<T> PerEncoder<T> {
    pub(super) fn of(&self, encoder: Encoder) -> &T {
        match encoder {
            Encoder::English => &self.english,
            Encoder::Multilingual => &self.multilingual,
        }
    }

    pub(super) fn of_mut(&mut self, encoder: Encoder) -> &mut T {
        match encoder {
            Encoder::English => &mut self.english,
            Encoder::Multilingual => &mut self.multilingual,
        }
    }
}

/// An encoder with its decoder. Its graphs, its tokenizer and its threads are made when it is first used: in most places nobody
/// writes in what the second one reads.
pub(super) struct EncoderModel {
    encoder: Encoder,
    pub(super) name: String,
    pub(super) config: Config,
    weights: &'static [u8],
    runtime: Runtime,
    options: HybridOptions,
    loaded: OnceLock<Result<Loaded, EngineError>>,
}

/// What an encoder runs with.
struct Loaded {
    embeddings: Arc<TokenEmbeddings>,
    batcher: Batcher<Sequence, Denoised>,
}

impl EncoderModel {
    /// Reads the constants of a weight file.
    ///
    /// # Errors
    /// A file of another format, or a constant that is missing or wrong.
    pub(super) fn open(
        encoder: Encoder,
        weights: &'static [u8],
        runtime: &Runtime,
        options: &HybridOptions,
    ) -> Result<Self, EngineError> {
        let read = Weights::read(weights).map_err(EngineError)?;
        let name = format!("{}-{}", read.name, read.version);
        let config = Config::parse(&read.config).map_err(|why| EngineError(format!("{name}: {why}")))?;
        let runtime = runtime.clone();
        let options = options.clone();
        let loaded = OnceLock::new();
        Ok(Self { encoder, name, config, weights, runtime, options, loaded })
    }

    /// Loads the model, unless it is loaded. Blocks for a part of a second. A failure is final.
    ///
    /// # Errors
    /// A tensor or a file that is missing or wrong.
    pub(super) fn load(&self) -> Result<(), EngineError> {
        self.loaded().map(|_| ())
    }

    /// Whether nothing is left to load.
    pub(super) fn is_loaded(&self) -> bool {
        self.loaded.get().is_some()
    }

    fn loaded(&self) -> Result<&Loaded, EngineError> {
        self.loaded.get_or_init(|| self.make()).as_ref().map_err(Clone::clone)
    }

    fn make(&self) -> Result<Loaded, EngineError> {
        let weights = Weights::read(self.weights).map_err(EngineError)?;
        let fault = |why: String| EngineError(format!("{}: {why}", self.name));
        let embeddings = match self.encoder {
            Encoder::English => TokenEmbeddings::shared(&self.options.models_dir)?,
            Encoder::Multilingual => Arc::new(TokenEmbeddings::of_weights(&weights).map_err(fault)?),
        };
        let layers = weights.layers();
        let backbone = Backbone::load(&self.runtime, Arc::clone(&embeddings), &weights, layers)?;
        let decoder = DiffusionDecoder::load(&self.runtime, &weights)?;
        let steps = self.config.steps;
        let limits = QueueLimits {
            threads: self.options.threads,
            batch: BATCH_TOKENS,
            work: QUEUED_WORK,
            background: false,
        };
        let queue = match self.encoder {
            Encoder::English => "gavel-text",
            Encoder::Multilingual => "gavel-texts",
        };
        let batcher = Batcher::start(queue, limits, move |batch: &[Sequence]| {
            let batch: Vec<&Sequence> = batch.iter().collect();
            decoder.denoise(&backbone.run(&batch)?, &batch, steps)
        })?;
        Ok(Loaded { embeddings, batcher })
    }

    /// Splits a message into windows of tokens, each a sequence of its own.
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

    /// Tokenizes what [`encoder_text`] gives.
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
        let job = |sequence: Sequence| Job {
            shape: sequence.padded_len(),
            tokens: sequence.padded_len(),
            work: sequence,
        };
        let jobs: Vec<_> = groups.into_iter().flatten().map(job).collect();
        if jobs.is_empty() {
            return Ok(vec![Vec::new(); counts.len()]);
        }
        let denoised = self.loaded()?.batcher.run(Order::first(flow), jobs).await;
        let denoised = denoised.map_err(|error| match error {
            QueueError::Busy => TextFault::Busy,
            QueueError::Failed(error) => TextFault::Engine(error),
        })?;
        let mut rest = denoised.into_iter();
        Ok(counts.into_iter().map(|count| rest.by_ref().take(count).collect()).collect())
    }
}
