//! The encoders with their decoders, each with a queue of its own and with the weights that combine its scores with the native ones.

use std::{sync::Arc, time::Duration};

use domain::{EngineError, Flow, moderation::TextFault, moderation::links};

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

/// An encoder with its decoder.
pub(super) struct EncoderModel {
    encoder: Encoder,
    pub(super) name: String,
    pub(super) config: Config,
    embeddings: Arc<TokenEmbeddings>,
    batcher: Batcher<Sequence, Denoised>,
}

impl EncoderModel {
    /// Loads a weight file.
    ///
    /// # Errors
    /// A tensor or a constant that is missing or wrong.
    pub(super) fn load(
        encoder: Encoder,
        weights: &'static [u8],
        runtime: &Runtime,
        options: &HybridOptions,
    ) -> Result<Self, EngineError> {
        let weights = Weights::read(weights).map_err(EngineError)?;
        let name = format!("{}-{}", weights.name, weights.version);
        let fault = |why: String| EngineError(format!("{name}: {why}"));
        let config = Config::parse(&weights.config).map_err(fault)?;
        let embeddings = match encoder {
            Encoder::English => TokenEmbeddings::shared(&options.models_dir)?,
            Encoder::Multilingual => Arc::new(TokenEmbeddings::of_weights(&weights).map_err(fault)?),
        };
        let backbone = Backbone::load(runtime, Arc::clone(&embeddings), &weights, weights.layers())?;
        let (decoder, steps) = (DiffusionDecoder::load(runtime, &weights)?, config.steps);
        let limits = QueueLimits {
            threads: options.threads,
            batch: BATCH_TOKENS,
            work: QUEUED_WORK,
            background: false,
        };
        let queue = match encoder {
            Encoder::English => "gavel-text",
            Encoder::Multilingual => "gavel-texts",
        };
        let batcher = Batcher::start(queue, limits, move |batch: &[Sequence]| {
            let batch: Vec<&Sequence> = batch.iter().collect();
            decoder.denoise(&backbone.run(&batch)?, &batch, steps)
        })?;
        Ok(Self { encoder, name, config, embeddings, batcher })
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
            windows.push(self.sequence(&tokens[start..end]));
            if end == tokens.len() {
                break;
            }
        }
        Ok(windows)
    }

    /// Tokenizes what [`encoder_text`] gives.
    ///
    /// # Errors
    /// A failure of the tokenizer.
    pub(super) fn tokenize(&self, text: &str) -> Result<Vec<u32>, EngineError> {
        self.embeddings.tokenize(text)
    }

    /// The sequence of a window.
    pub(super) fn sequence(&self, tokens: &[u32]) -> Sequence {
        let special = self.embeddings.special();
        let ids: Vec<u32> = [&[special.begin], tokens, &[special.end]].concat();
        Sequence {
            segments: vec![0; ids.len()],
            positions: (0..=u16::MAX).take(ids.len()).collect(),
            ids,
            owners: Vec::new(),
            ranks: Vec::new(),
            markers: Vec::new(),
        }
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
        let denoised = self.batcher.run(Order::first(flow), jobs).await;
        let denoised = denoised.map_err(|error| match error {
            QueueError::Busy => TextFault::Busy,
            QueueError::Failed(error) => TextFault::Engine(error),
        })?;
        let mut rest = denoised.into_iter();
        Ok(counts.into_iter().map(|count| rest.by_ref().take(count).collect()).collect())
    }
}
