//! Runs the native model and the encoders and combines their scores. Verdicts are the policy's.

use std::{
    collections::{HashMap, hash_map::Entry},
    ops::Range,
    path::PathBuf,
    sync::Arc,
};

use async_trait::async_trait;
use ports::{
    EngineError, Flow,
    text::{Categories, Category, Evidence, TextEngine, TextFault, TextInput, TextMode, TextScores},
};

use super::{
    config::{log_odds, worst},
    model::{EncoderModel, PerEncoder, WINDOW},
    read::encoder_window,
    weights,
};
use crate::{
    encoder::{Denoised, Sequence},
    runtime::{OnnxRuntime, Runtime},
    text::{
        NativeText,
        language::{Encoder, Language},
        linear::{HEADS, sigmoid},
        native::INLINE_BYTES,
        windows::{Window, at_most},
    },
};

/// The most sentences of a message that are read one by one; of more, neighbours are joined.
const MAX_SENTENCES: usize = 64;
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
    models: Arc<PerEncoder<EncoderModel>>,
}

impl HybridText {
    /// Loads the models in the binary, that of other languages than English with the first message in one. Blocks for about half a second.
    ///
    /// # Errors
    /// The file that is missing or wrong.
    pub fn open(native: NativeText, options: &HybridOptions) -> Result<Self, EngineError> {
        Self::of(None, None, native, options)
    }

    /// Loads the models of two weight files; without one, that in the binary.
    ///
    /// # Errors
    /// Like [`open`](Self::open).
    pub fn of(
        english: Option<&'static [u8]>,
        multilingual: Option<&'static [u8]>,
        native: NativeText,
        options: &HybridOptions,
    ) -> Result<Self, EngineError> {
        let english = english.unwrap_or(weights::ENGLISH);
        let multilingual = multilingual.unwrap_or(weights::MULTILINGUAL);
        let runtime = Runtime::open(&options.onnx_runtime, &options.models_dir);
        let models = PerEncoder {
            english: EncoderModel::open(Encoder::English, english, &runtime, options)?,
            multilingual: EncoderModel::open(Encoder::Multilingual, multilingual, &runtime, options)?,
        };
        models.english.load()?;
        Ok(Self { native, models: Arc::new(models) })
    }

    /// Runs only one encoder with its decoder, on the whole of each message in order.
    ///
    /// # Errors
    /// [`TextFault::Busy`] before anything starts, or the first failure.
    pub async fn decode(
        &self,
        encoder: Encoder,
        flow: Flow,
        messages: Vec<String>,
    ) -> Result<Vec<Denoised>, TextFault> {
        let models = Arc::clone(&self.models);
        let read = move || {
            messages.iter().map(|message| models.of(encoder).whole(message)).collect::<Result<Vec<_>, _>>()
        };
        let read =
            tokio::task::spawn_blocking(read).await.map_err(|cause| EngineError(cause.to_string()))??;
        let denoised = self.models.of(encoder).denoise(flow, read).await?;
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
        let candidates = read.iter().map(|(read, denoised)| read.candidates(denoised));
        Ok(candidates.collect::<Result<_, _>>()?)
    }

    /// Scores messages with both models.
    async fn score_hybrid(&self, flow: Flow, messages: Vec<TextInput>) -> Result<Vec<TextScores>, TextFault> {
        let read = self.read(flow, messages).await?;
        let scores = read.into_iter().map(|(read, denoised)| self.combine(read, &denoised));
        Ok(scores.collect::<Result<_, _>>()?)
    }

    /// Reads messages with both models.
    async fn read(
        &self,
        flow: Flow,
        messages: Vec<TextInput>,
    ) -> Result<Vec<(Read, PerEncoder<Vec<Denoised>>)>, TextFault> {
        let models = Arc::clone(&self.models);
        let native = self.native.clone();
        let bytes: usize = messages.iter().map(|message| message.content.len()).sum();
        let read = move || {
            let read = messages.into_iter().map(|message| Read::of(&models, &native, message));
            read.collect::<Result<Vec<_>, EngineError>>()
        };
        // Where a model may have to be loaded, not on a thread that answers others.
        let mut read = match bytes <= INLINE_BYTES && self.models.multilingual.is_loaded() {
            true => read()?,
            false => {
                tokio::task::spawn_blocking(read).await.map_err(|cause| EngineError(cause.to_string()))??
            }
        };
        let mut sequences =
            |encoder| read.iter_mut().map(|read| std::mem::take(read.sequences.of_mut(encoder))).collect();
        let english = sequences(Encoder::English);
        let multilingual = sequences(Encoder::Multilingual);
        let (english, multilingual) = tokio::try_join!(
            self.models.english.denoise(flow, english),
            self.models.multilingual.denoise(flow, multilingual)
        )?;
        let denoised = english.into_iter().zip(multilingual);
        let denoised = denoised.map(|(english, multilingual)| PerEncoder { english, multilingual });
        Ok(read.into_iter().zip(denoised).collect())
    }

    /// Replaces the native scores by the combined ones of the window where they are highest. The model's name is that of the encoder that
    /// read the whole.
    fn combine(&self, read: Read, denoised: &PerEncoder<Vec<Denoised>>) -> Result<TextScores, EngineError> {
        let candidates = read.candidates(denoised)?;
        let Read { mut scores, language, .. } = read;
        let native = scores.categories;
        let mut best: [(f64, Range<usize>); HEADS] = std::array::from_fn(|_| (0.0, 0..0));
        for Candidate { language, native, decoder, penalty, span } in candidates {
            let config = &self.models.of(language.encoder()).config;
            let combined = config.combine(language, &native, &decoder.harms);
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
        scores.model.clone_from(&self.models.of(language.encoder()).name);
        Ok(scores)
    }
}

/// What the models say of a message or of a part of it.
#[derive(Clone, Debug)]
pub struct Candidate {
    pub language: Language,
    pub native: Categories,
    /// What the decoder of the language's encoder says.
    pub decoder: Denoised,
    /// Log-odds that its harms lose against those of the whole message.
    pub penalty: f64,
    /// Its bytes in the message; none for the whole.
    pub span: Range<usize>,
}

/// A message's native scores, and what the encoders read of it.
struct Read {
    scores: TextScores,
    language: Language,
    /// The sequences of the whole message, the first ones of its encoder.
    whole: usize,
    windows: Vec<Part>,
    sequences: PerEncoder<Vec<Sequence>>,
}

/// A window of a message.
struct Part {
    language: Language,
    /// The index of its sequence among those of its encoder.
    sequence: usize,
    native: Categories,
    penalty: f64,
    /// Its bytes in the message.
    span: Range<usize>,
}

impl Read {
    /// Reads a message with the native model, and chooses what the encoders are to read: a part that is repeated has one sequence.
    fn of(
        models: &PerEncoder<EncoderModel>,
        native: &NativeText,
        message: TextInput,
    ) -> Result<Self, EngineError> {
        let (scores, reading) = native.score_windows(&message);
        let content = &message.content;
        let detect = |words| Language::detect(content, &reading.text, words);
        let language = detect(0..reading.text.words.len());
        let mut sequences = PerEncoder { english: Vec::new(), multilingual: Vec::new() };
        let own = models.of(language.encoder()).whole(content)?;
        let whole = own.len();
        *sequences.of_mut(language.encoder()) = own;
        let mut windows = Vec::new();
        let mut places = HashMap::new();
        let sentences = at_most(&reading.sentences, MAX_SENTENCES);
        for (Window { words, penalty, .. }, native) in native.suspects(&reading, &sentences) {
            let language = detect(words.clone());
            let encoder = language.encoder();
            let model = models.of(encoder);
            let sequences = sequences.of_mut(encoder);
            let text = encoder_window(encoder, content, &reading.links, &reading.text, words.clone());
            let tokens = model.tokenize(&text)?;
            if tokens.len() > WINDOW {
                continue;
            }
            let sequence = match places.entry((encoder, tokens)) {
                Entry::Occupied(place) => *place.get(),
                Entry::Vacant(place) => {
                    sequences.push(model.sequence(&place.key().1)?);
                    *place.insert(sequences.len() - 1)
                }
            };
            let span = reading.text.words[words.start].from..reading.text.words[words.end - 1].to;
            windows.push(Part { language, sequence, native, penalty: penalty.into(), span });
        }
        Ok(Self { scores, language, whole, windows, sequences })
    }

    /// The whole and the parts, with what the decoders say of each.
    ///
    /// # Errors
    /// A sequence that has no answer.
    fn candidates(&self, denoised: &PerEncoder<Vec<Denoised>>) -> Result<Vec<Candidate>, EngineError> {
        let unanswered = || EngineError("a part of a message that its encoder has not read".into());
        let whole = denoised.of(self.language.encoder()).get(..self.whole).and_then(worst);
        let whole = Candidate {
            language: self.language,
            native: self.scores.categories,
            decoder: whole.ok_or_else(unanswered)?,
            penalty: 0.0,
            span: 0..0,
        };
        let part = |part: &Part| {
            let decoder = denoised.of(part.language.encoder()).get(part.sequence);
            Ok(Candidate {
                language: part.language,
                native: part.native,
                decoder: *decoder.ok_or_else(unanswered)?,
                penalty: part.penalty,
                span: part.span.clone(),
            })
        };
        std::iter::once(Ok(whole)).chain(self.windows.iter().map(part)).collect()
    }
}

#[async_trait]
impl TextEngine for HybridText {
    async fn score(&self, flow: Flow, messages: Vec<TextInput>) -> Result<Vec<TextScores>, TextFault> {
        let modes: Vec<TextMode> = messages.iter().map(|message| message.mode).collect();
        let (hybrid, native) = messages.into_iter().partition(|message| message.mode == TextMode::Hybrid);
        let (hybrid, native) =
            tokio::try_join!(self.score_hybrid(flow, hybrid), self.native.score(flow, native))?;
        let mut hybrid = hybrid.into_iter();
        let mut native = native.into_iter();
        let next = |mode| if mode == TextMode::Hybrid { hybrid.next() } else { native.next() };
        Ok(modes.into_iter().filter_map(next).collect())
    }
}

impl std::fmt::Debug for HybridText {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HybridText")
            .field("english", &self.models.english.name)
            .field("multilingual", &self.models.multilingual.name)
            .finish_non_exhaustive()
    }
}
