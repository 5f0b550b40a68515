//! Runs the native model and the decoder and combines their scores. Verdicts are the policy's.

use std::{path::PathBuf, sync::Arc, time::Duration};

use async_trait::async_trait;
use domain::{
    EngineError, Flow,
    moderation::{Category, Evidence, Mode, TextEngine, TextFault, TextInput, TextScores, links},
};

use super::{
    config::{Config, log_odds, worst},
    read::encoder_text,
    weights::WEIGHTS,
};
use crate::{
    encoder::{
        Backbone, Batcher, CLS, Denoised, DiffusionDecoder, Job, Order, QueueError, QueueLimits, SEP,
        Sequence, TokenEmbeddings, Weights,
    },
    runtime::{OnnxRuntime, Runtime},
    text::NativeText,
};

/// Tokens of a window, without `[CLS]` and `[SEP]`, and tokens between the starts of two windows.
const WINDOW: usize = 254;
const STRIDE: usize = 190;
/// The most windows of a message: 3,104 tokens. The rest is read by the native model only.
const MAX_WINDOWS: usize = 16;
/// Tokens in a batch. Larger batches are no faster and delay other requests.
const BATCH_TOKENS: usize = 512;
/// The most work in the queue, in time.
const QUEUED_WORK: Duration = Duration::from_secs(15);
/// The least probability of a harm whose evidence is shown, as in the native engine.
const EXPLAIN_FROM: f64 = 0.1;
/// The least log-odds of evidence that is shown.
const MIN_LOG_ODDS: f64 = 0.05;

/// The settings of the hybrid engine.
#[derive(Clone, Debug)]
pub struct HybridOptions {
    /// The folder with the token embeddings and, if installed, ONNX Runtime.
    pub models_dir: PathBuf,
    pub onnx_runtime: OnnxRuntime,
    /// Worker threads; 0 is the number of cores.
    pub threads: usize,
}

/// The hybrid engine. Messages in `native` mode go to the native engine.
pub struct HybridText {
    native: NativeText,
    name: String,
    config: Config,
    embeddings: Arc<TokenEmbeddings>,
    batcher: Batcher<Sequence, Denoised>,
}

impl HybridText {
    /// Loads the model in the binary. Blocks for a good part of a second.
    ///
    /// # Errors
    /// The file that is missing or wrong.
    pub fn open(native: NativeText, options: &HybridOptions) -> Result<Self, EngineError> {
        Self::of(WEIGHTS, native, options)
    }

    /// Loads the model of a weight file.
    ///
    /// # Errors
    /// Like [`open`](Self::open).
    pub fn of(weights: &[u8], native: NativeText, options: &HybridOptions) -> Result<Self, EngineError> {
        let embeddings = TokenEmbeddings::shared(&options.models_dir)?;
        let runtime = Runtime::open(&options.onnx_runtime, &options.models_dir);
        let weights = Weights::read(weights).map_err(EngineError)?;
        let name = format!("{}-{}", weights.name, weights.version);
        let config = Config::parse(&weights.config).map_err(|why| EngineError(format!("{name}: {why}")))?;
        let backbone = Backbone::load(&runtime, Arc::clone(&embeddings), &weights, weights.layers())?;
        let (decoder, steps) = (DiffusionDecoder::load(&runtime, &weights)?, config.steps);
        let limits = QueueLimits {
            threads: options.threads,
            batch: BATCH_TOKENS,
            work: QUEUED_WORK,
            background: false,
        };
        let batcher = Batcher::start("gavel-text", limits, move |batch: &[Sequence]| {
            let batch: Vec<&Sequence> = batch.iter().collect();
            decoder.denoise(&backbone.run(&batch)?, &batch, steps)
        })?;
        Ok(Self { native, name, config, embeddings, batcher })
    }

    /// Runs only the decoder, on each message in order.
    ///
    /// # Errors
    /// [`TextFault::Busy`] before anything starts, or the first failure.
    pub async fn decode(&self, flow: Flow, messages: Vec<String>) -> Result<Vec<Denoised>, TextFault> {
        let embeddings = Arc::clone(&self.embeddings);
        let read = move || {
            messages.iter().map(|message| sequences(&embeddings, message)).collect::<Result<Vec<_>, _>>()
        };
        let read =
            tokio::task::spawn_blocking(read).await.map_err(|cause| EngineError(cause.to_string()))??;
        let counts: Vec<usize> = read.iter().map(Vec::len).collect();
        let job = |sequence: Sequence| Job {
            shape: sequence.padded_len(),
            tokens: sequence.padded_len(),
            work: sequence,
        };
        let jobs = read.into_iter().flatten().map(job).collect();
        let denoised = self.batcher.run(Order::first(flow), jobs).await;
        let denoised = denoised.map_err(|error| match error {
            QueueError::Busy => TextFault::Busy,
            QueueError::Failed(error) => TextFault::Engine(error),
        })?;
        let mut rest = denoised.as_slice();
        let messages = counts.into_iter().map(|count| {
            let (own, others) = rest.split_at(count);
            rest = others;
            worst(own).ok_or_else(|| EngineError("a message of no windows".into()))
        });
        Ok(messages.collect::<Result<_, _>>()?)
    }

    /// Replaces the native scores by the combined ones.
    fn combine(&self, scores: &mut TextScores, denoised: &Denoised) {
        let combined = self.config.combine(&scores.categories, &denoised.harms);
        if let Some(explanation) = &mut scores.explanation {
            for (n, harm) in Category::ALL.into_iter().enumerate() {
                let weight = log_odds(combined.0[n]) - log_odds(scores.categories.0[n]);
                if combined.0[n] >= EXPLAIN_FROM && weight.abs() >= MIN_LOG_ODDS {
                    let name = format!("{}:the message as a whole", harm.as_str());
                    explanation.evidence.push(Evidence { name, weight, start: 0, end: 0 });
                }
            }
            explanation.evidence.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        }
        scores.categories = combined;
        scores.model.clone_from(&self.name);
    }
}

#[async_trait]
impl TextEngine for HybridText {
    async fn score(&self, flow: Flow, messages: Vec<TextInput>) -> Result<Vec<TextScores>, TextFault> {
        let hybrid: Vec<usize> = (0..messages.len()).filter(|n| messages[*n].mode == Mode::Hybrid).collect();
        let contents = hybrid.iter().map(|n| messages[*n].content.clone()).collect();
        let (scores, denoised) =
            tokio::try_join!(self.native.score(flow, messages), self.decode(flow, contents))?;
        let mut scores = scores;
        for (n, denoised) in hybrid.into_iter().zip(&denoised) {
            self.combine(&mut scores[n], denoised);
        }
        Ok(scores)
    }
}

/// Splits a message into windows, each a sequence of its own.
fn sequences(embeddings: &TokenEmbeddings, message: &str) -> Result<Vec<Sequence>, EngineError> {
    let tokens = embeddings.tokenize(&encoder_text(message, &links::find(message)))?;
    let mut windows = Vec::new();
    for start in (0..).step_by(STRIDE).take(MAX_WINDOWS) {
        let end = tokens.len().min(start + WINDOW);
        let ids: Vec<u32> = [&[CLS], &tokens[start..end], &[SEP]].concat();
        let positions = (0..=u16::MAX).take(ids.len()).collect();
        windows.push(Sequence {
            segments: vec![0; ids.len()],
            positions,
            ids,
            owners: Vec::new(),
            markers: Vec::new(),
        });
        if end == tokens.len() {
            break;
        }
    }
    Ok(windows)
}

impl std::fmt::Debug for HybridText {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HybridText").field("name", &self.name).finish_non_exhaustive()
    }
}
