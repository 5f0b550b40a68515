//! Runs the native model and the encoders and combines their scores. The policy decides verdicts.

use std::{ops::Range, sync::Arc};

use async_trait::async_trait;
use bytes::Bytes;
use ports::{
    EngineError, Flow,
    text::{
        Categories, Category, Evidence, TextEngine, TextExplanation, TextFault, TextInput, TextMode,
        TextScores,
    },
};

use super::{
    config::{log_odds, worst},
    model::{EncoderFiles, EncoderModel, PerEncoder},
    options::HybridOptions,
    reading::{HybridReading, PartScores},
    weights,
};
use crate::{
    encoder::{Denoised, Sequence, Weights},
    error::unnamed,
    runtime::Runtime,
    text::{
        NativeText,
        language::TextEncoder,
        linear::{HEADS, sigmoid},
        native::{INLINE_BYTES, shares},
    },
};

/// The least probability of a harm whose evidence is shown, as in the native engine.
const EXPLAIN_FROM: f64 = 0.1;
/// The least log-odds of evidence that is shown.
const MIN_LOG_ODDS: f64 = 0.05;

/// The hybrid engine. Messages in `native` mode go to the native engine.
pub struct HybridText {
    native: NativeText,
    models: Arc<PerEncoder<EncoderModel>>,
}

impl HybridText {
    /// Loads the models in the binary. The multilingual one is loaded with the first message in another language than
    /// English. Blocks for about half a second.
    ///
    /// # Errors
    /// The file that is missing or wrong.
    pub fn open(native: NativeText, options: &HybridOptions) -> Result<Self, EngineError> {
        Self::of(None, None, native, options)
    }

    /// Loads the models of two weight files. `None` stands for the file in the binary, with what was fitted later.
    ///
    /// # Errors
    /// Like [`open`](Self::open).
    pub fn of(
        english: Option<Bytes>,
        multilingual: Option<Bytes>,
        native: NativeText,
        options: &HybridOptions,
    ) -> Result<Self, EngineError> {
        let english = match english {
            Some(file) => EncoderFiles { weights: Weights::read(file)?, fit: None },
            None => EncoderFiles {
                weights: Weights::read_embedded(weights::ENGLISH)?,
                fit: Some(weights::ENGLISH_FIT),
            },
        };
        let multilingual = match multilingual {
            Some(file) => EncoderFiles { weights: Weights::read(file)?, fit: None },
            None => EncoderFiles {
                weights: Weights::read_embedded(weights::MULTILINGUAL)?,
                fit: Some(weights::MULTILINGUAL_FIT),
            },
        };
        let runtime = Runtime::open(&options.onnx_runtime, &options.models_dir);
        let models = PerEncoder {
            english: EncoderModel::open(TextEncoder::English, english, &runtime, options)?,
            multilingual: EncoderModel::open(TextEncoder::Multilingual, multilingual, &runtime, options)?,
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
        encoder: TextEncoder,
        flow: Flow,
        messages: Vec<String>,
    ) -> Result<Vec<Denoised>, TextFault> {
        let models = Arc::clone(&self.models);
        let sequences = tokio::task::spawn_blocking(move || {
            messages.iter().map(|message| models.of(encoder).whole(message)).collect::<Result<Vec<_>, _>>()
        });
        let sequences = sequences.await.map_err(unnamed)??;
        let mut all = Vec::with_capacity(sequences.len());
        for windows in self.models.of(encoder).denoise(flow, sequences).await? {
            let Some(worst) = worst(&windows) else {
                return Err(EngineError("a message without windows".into()).into());
            };
            all.push(worst);
        }
        Ok(all)
    }

    /// The models' scores of each part of each message in order, the whole first, to fit how they are combined.
    ///
    /// # Errors
    /// [`TextFault::Busy`] before anything starts, or the first failure.
    pub async fn part_scores(
        &self,
        flow: Flow,
        messages: Vec<TextInput>,
    ) -> Result<Vec<Vec<PartScores>>, TextFault> {
        let read = self.read(flow, messages).await?;
        let scores = read.iter().map(|(reading, denoised)| reading.part_scores(denoised));
        Ok(scores.collect::<Result<_, _>>()?)
    }

    /// Scores messages with both models.
    async fn score_hybrid(&self, flow: Flow, messages: Vec<TextInput>) -> Result<Vec<TextScores>, TextFault> {
        let read = self.read(flow, messages).await?;
        let scores = read.into_iter().map(|(reading, denoised)| self.combine(reading, &denoised));
        Ok(scores.collect::<Result<_, _>>()?)
    }

    /// Reads messages with both models.
    async fn read(
        &self,
        flow: Flow,
        messages: Vec<TextInput>,
    ) -> Result<Vec<(HybridReading, PerEncoder<Vec<Denoised>>)>, TextFault> {
        let mut readings = self.read_native(messages).await?;
        let english = take_sequences(&mut readings, TextEncoder::English);
        let multilingual = take_sequences(&mut readings, TextEncoder::Multilingual);
        let (english, multilingual) = tokio::try_join!(
            self.models.english.denoise(flow, english),
            self.models.multilingual.denoise(flow, multilingual)
        )?;
        let denoised = english.into_iter().zip(multilingual);
        let denoised = denoised.map(|(english, multilingual)| PerEncoder { english, multilingual });
        Ok(readings.into_iter().zip(denoised).collect())
    }

    /// Reads messages with the native model, and prepares them for the encoders.
    async fn read_native(&self, messages: Vec<TextInput>) -> Result<Vec<HybridReading>, EngineError> {
        let bytes: usize = messages.iter().map(|message| message.content.len()).sum();
        if bytes <= INLINE_BYTES && self.models.multilingual.is_loaded() {
            return read_all(&self.models, &self.native, messages);
        }
        // Many messages, or loading a model, would block other requests.
        let mut readings = Vec::with_capacity(messages.len());
        for share in shares(messages, bytes) {
            let models = Arc::clone(&self.models);
            let native = self.native.clone();
            let read = self.native.start_on_a_core(move || read_all(&models, &native, share)).await?;
            readings.extend(read.await.map_err(unnamed)??);
        }
        Ok(readings)
    }

    /// Replaces the native scores by the combined ones of the part where they are highest. The model's name becomes
    /// that of the encoder that read the whole.
    fn combine(
        &self,
        reading: HybridReading,
        denoised: &PerEncoder<Vec<Denoised>>,
    ) -> Result<TextScores, EngineError> {
        let parts = reading.part_scores(denoised)?;
        let HybridReading { mut scores, language, .. } = reading;
        let mut best: [BestPart; HEADS] = std::array::from_fn(|_| BestPart { probability: 0.0, span: 0..0 });
        for PartScores { language, encoder, native, decoder, penalty, span } in parts {
            let config = &self.models.of(encoder).config;
            let combined = config.combine(language, &native, &decoder.harms);
            for (best, p) in best.iter_mut().zip(combined.0) {
                let probability = sigmoid(log_odds(p) - penalty);
                if probability > best.probability {
                    *best = BestPart { probability, span: span.clone() };
                }
            }
        }
        if let Some(explanation) = &mut scores.explanation {
            explain(explanation, &best, &scores.categories);
        }
        scores.categories = Categories(best.map(|best| best.probability));
        scores.model.clone_from(&self.models.of(language.encoder()).name);
        Ok(scores)
    }
}

/// The part of a message where a harm is most probable.
struct BestPart {
    probability: f64,
    /// Its bytes in the message; empty for the whole.
    span: Range<usize>,
}

fn read_all(
    models: &PerEncoder<EncoderModel>,
    native: &NativeText,
    messages: Vec<TextInput>,
) -> Result<Vec<HybridReading>, EngineError> {
    messages.into_iter().map(|message| HybridReading::of(models, native, message)).collect()
}

fn take_sequences(readings: &mut [HybridReading], encoder: TextEncoder) -> Vec<Vec<Sequence>> {
    readings.iter_mut().map(|reading| std::mem::take(reading.sequences.of_mut(encoder))).collect()
}

/// Adds as evidence how much each harm's log-odds differ from the native ones.
fn explain(explanation: &mut TextExplanation, best: &[BestPart; HEADS], native: &Categories) {
    for (n, harm) in Category::ALL.into_iter().enumerate() {
        let BestPart { probability, span } = &best[n];
        let weight = log_odds(*probability) - log_odds(native.0[n]);
        if *probability >= EXPLAIN_FROM && weight.abs() >= MIN_LOG_ODDS {
            let part = if span.is_empty() { "message" } else { "sentence" };
            let name = format!("{}:the {part} as a whole", harm.as_str());
            explanation.evidence.push(Evidence { name, weight, start: span.start, end: span.end });
        }
    }
    explanation.evidence.sort_by(|a, b| b.weight.total_cmp(&a.weight));
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
        let scores = modes.into_iter().filter_map(|mode| match mode {
            TextMode::Hybrid => hybrid.next(),
            TextMode::Native => native.next(),
        });
        Ok(scores.collect())
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
