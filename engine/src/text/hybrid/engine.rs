//! Runs the native model and the decoder and combines their scores. Verdicts are the policy's.

use std::{collections::HashMap, ops::Range, path::PathBuf, sync::Arc, time::Duration};

use async_trait::async_trait;
use domain::{
    EngineError, Flow,
    moderation::{Categories, Category, Evidence, Mode, TextEngine, TextFault, TextInput, TextScores, links},
};

use super::{
    config::{Config, log_odds, worst},
    read::{encoder_text, encoder_window},
    weights::WEIGHTS,
};
use crate::{
    encoder::{
        Backbone, Batcher, CLS, Denoised, DiffusionDecoder, Job, Order, QueueError, QueueLimits, SEP,
        Sequence, TokenEmbeddings, Weights,
    },
    runtime::{OnnxRuntime, Runtime},
    text::{
        NativeText,
        language::Language,
        linear::{HEADS, sigmoid},
        native::INLINE_BYTES,
        windows::{Window, at_most},
    },
};

/// Tokens of a window, without `[CLS]` and `[SEP]`, and tokens between the starts of two windows.
const WINDOW: usize = 254;
const STRIDE: usize = 190;
/// The most windows of a message: 3,104 tokens. The rest is read by the native model only.
const MAX_WINDOWS: usize = 16;
/// The most sentences of a message that are read one by one; of more, neighbours are joined.
const MAX_SENTENCES: usize = 64;
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

    /// Runs only the decoder, on the whole of each message in order.
    ///
    /// # Errors
    /// [`TextFault::Busy`] before anything starts, or the first failure.
    pub async fn decode(&self, flow: Flow, messages: Vec<String>) -> Result<Vec<Denoised>, TextFault> {
        let embeddings = Arc::clone(&self.embeddings);
        let read =
            move || messages.iter().map(|message| whole(&embeddings, message)).collect::<Result<Vec<_>, _>>();
        let read =
            tokio::task::spawn_blocking(read).await.map_err(|cause| EngineError(cause.to_string()))??;
        let denoised = self.denoise(flow, read).await?;
        let worst =
            |own: &[Denoised]| worst(own).ok_or_else(|| EngineError("a message of no windows".into()));
        Ok(denoised.iter().map(|own| worst(own)).collect::<Result<_, _>>()?)
    }

    /// What the models say of each part of each message in order, the whole first, to fit how they are combined.
    ///
    /// # Errors
    /// [`TextFault::Busy`] before anything starts, or the first failure.
    pub async fn candidates(
        &self,
        flow: Flow,
        messages: Vec<TextInput>,
    ) -> Result<Vec<Vec<Candidate>>, TextFault> {
        let read = self.read(flow, messages).await?;
        Ok(read.iter().map(|(read, denoised)| read.candidates(denoised)).collect())
    }

    /// Runs the decoder on groups of sequences.
    async fn denoise(&self, flow: Flow, groups: Vec<Vec<Sequence>>) -> Result<Vec<Vec<Denoised>>, TextFault> {
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

    /// Scores messages with both models.
    async fn score_hybrid(&self, flow: Flow, messages: Vec<TextInput>) -> Result<Vec<TextScores>, TextFault> {
        let read = self.read(flow, messages).await?;
        Ok(read.into_iter().map(|(read, denoised)| self.combine(read, &denoised)).collect())
    }

    /// Reads messages with both models.
    async fn read(
        &self,
        flow: Flow,
        messages: Vec<TextInput>,
    ) -> Result<Vec<(Read, Vec<Denoised>)>, TextFault> {
        let (embeddings, native) = (Arc::clone(&self.embeddings), self.native.clone());
        let bytes: usize = messages.iter().map(|message| message.content.len()).sum();
        let read = move || -> Result<(Vec<Read>, Vec<Vec<Sequence>>), EngineError> {
            let read = messages.into_iter().map(|message| Read::of(&embeddings, &native, message));
            Ok(read.collect::<Result<Vec<_>, _>>()?.into_iter().unzip())
        };
        let (read, sequences) = match bytes <= INLINE_BYTES {
            true => read()?,
            false => {
                tokio::task::spawn_blocking(read).await.map_err(|cause| EngineError(cause.to_string()))??
            }
        };
        Ok(read.into_iter().zip(self.denoise(flow, sequences).await?).collect())
    }

    /// Replaces the native scores by the combined ones of the window where they are highest. What the encoder has not read keeps its
    /// native scores.
    fn combine(&self, read: Read, denoised: &[Denoised]) -> TextScores {
        let candidates = read.candidates(denoised);
        let Read { mut scores, .. } = read;
        if denoised.is_empty() {
            scores.model = self.native.model(Mode::Native);
            return scores;
        }
        let native = scores.categories;
        let mut best: [(f64, Range<usize>); HEADS] = std::array::from_fn(|_| (0.0, 0..0));
        for Candidate { native, decoder, penalty, span } in candidates {
            let combined = decoder.map_or(native, |decoder| self.config.combine(&native, &decoder.harms));
            for (best, p) in best.iter_mut().zip(combined.0) {
                let p = sigmoid(log_odds(p) - penalty);
                if p > best.0 {
                    *best = (p, span.clone());
                }
            }
        }
        if let Some(explanation) = &mut scores.explanation {
            for (n, harm) in Category::ALL.into_iter().enumerate() {
                let (p, span) = &best[n];
                let weight = log_odds(*p) - log_odds(native.0[n]);
                if *p >= EXPLAIN_FROM && weight.abs() >= MIN_LOG_ODDS {
                    let read = if span.is_empty() { "message" } else { "sentence" };
                    let name = format!("{}:the {read} as a whole", harm.as_str());
                    explanation.evidence.push(Evidence { name, weight, start: span.start, end: span.end });
                }
            }
            explanation.evidence.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        }
        scores.categories = Categories(best.map(|(p, _)| p));
        scores.model.clone_from(&self.name);
        scores
    }
}

/// What the models say of a message or of a part of it.
#[derive(Clone, Debug)]
pub struct Candidate {
    pub native: Categories,
    /// `None` where the encoder does not know the language.
    pub decoder: Option<Denoised>,
    /// Log-odds that its harms lose against those of the whole message.
    pub penalty: f64,
    /// Its bytes in the message; none for the whole.
    pub span: Range<usize>,
}

/// A message's native scores, and its parts that the encoder reads.
struct Read {
    scores: TextScores,
    /// How many sequences the whole has; they are the first. None where the encoder does not know its language.
    wholes: usize,
    windows: Vec<Part>,
}

/// A window of a message.
struct Part {
    /// The index of its sequence; none where the encoder does not know its language.
    sequence: Option<usize>,
    native: Categories,
    penalty: f64,
    /// Its bytes in the message.
    span: Range<usize>,
}

impl Read {
    /// A message, and the sequences that the encoder is to read: a part that is repeated has one.
    fn of(
        embeddings: &TokenEmbeddings,
        native: &NativeText,
        message: TextInput,
    ) -> Result<(Self, Vec<Sequence>), EngineError> {
        let (scores, reading) = native.score_windows(&message);
        let content = &message.content;
        let known = |words| Language::detect(content, &reading.text, words).is_read_by_encoder();
        let mut sequences =
            if known(0..reading.text.words.len()) { whole(embeddings, content)? } else { Vec::new() };
        let (wholes, mut windows, mut places) = (sequences.len(), Vec::new(), HashMap::new());
        let sentences = at_most(&reading.sentences, MAX_SENTENCES);
        for (Window { words, penalty, .. }, native) in native.suspects(&reading, &sentences) {
            let mut place = None;
            if known(words.clone()) {
                let text = encoder_window(content, &reading.links, &reading.text, words.clone());
                let tokens = embeddings.tokenize(&text)?;
                if tokens.len() > WINDOW {
                    continue;
                }
                place = Some(*places.entry(tokens).or_insert_with_key(|tokens| {
                    sequences.push(sequence(tokens));
                    sequences.len() - 1
                }));
            }
            let span = reading.text.words[words.start].from..reading.text.words[words.end - 1].to;
            windows.push(Part { sequence: place, native, penalty: penalty.into(), span });
        }
        Ok((Self { scores, wholes, windows }, sequences))
    }

    /// The whole and the parts, with what the decoder says of each.
    fn candidates(&self, denoised: &[Denoised]) -> Vec<Candidate> {
        let whole = Candidate {
            native: self.scores.categories,
            decoder: worst(&denoised[..self.wholes.min(denoised.len())]),
            penalty: 0.0,
            span: 0..0,
        };
        let part = |part: &Part| Candidate {
            native: part.native,
            decoder: part.sequence.and_then(|at| denoised.get(at)).copied(),
            penalty: part.penalty,
            span: part.span.clone(),
        };
        std::iter::once(whole).chain(self.windows.iter().map(part)).collect()
    }
}

#[async_trait]
impl TextEngine for HybridText {
    async fn score(&self, flow: Flow, messages: Vec<TextInput>) -> Result<Vec<TextScores>, TextFault> {
        let modes: Vec<Mode> = messages.iter().map(|message| message.mode).collect();
        let (hybrid, native) = messages.into_iter().partition(|message| message.mode == Mode::Hybrid);
        let (hybrid, native) =
            tokio::try_join!(self.score_hybrid(flow, hybrid), self.native.score(flow, native))?;
        let (mut hybrid, mut native) = (hybrid.into_iter(), native.into_iter());
        let next = |mode| if mode == Mode::Hybrid { hybrid.next() } else { native.next() };
        Ok(modes.into_iter().filter_map(next).collect())
    }
}

/// Splits a message into windows of tokens, each a sequence of its own.
fn whole(embeddings: &TokenEmbeddings, message: &str) -> Result<Vec<Sequence>, EngineError> {
    let tokens = embeddings.tokenize(&encoder_text(message, &links::find(message)))?;
    let mut windows = Vec::new();
    for start in (0..).step_by(STRIDE).take(MAX_WINDOWS) {
        let end = tokens.len().min(start + WINDOW);
        windows.push(sequence(&tokens[start..end]));
        if end == tokens.len() {
            break;
        }
    }
    Ok(windows)
}

fn sequence(tokens: &[u32]) -> Sequence {
    let ids: Vec<u32> = [&[CLS], tokens, &[SEP]].concat();
    Sequence {
        segments: vec![0; ids.len()],
        positions: (0..=u16::MAX).take(ids.len()).collect(),
        ids,
        owners: Vec::new(),
        ranks: Vec::new(),
        markers: Vec::new(),
    }
}

impl std::fmt::Debug for HybridText {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HybridText").field("name", &self.name).finish_non_exhaustive()
    }
}
