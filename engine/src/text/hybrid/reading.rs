//! A message as the native model scores it, with the parts that the encoders read.

use std::{
    collections::{HashMap, hash_map::Entry},
    ops::Range,
};

use ports::{
    EngineError,
    text::{Categories, TextInput, TextScores},
};

use super::{
    config::worst,
    encoder_text::EncoderMessage,
    model::{EncoderModel, PerEncoder, WINDOW},
};
use crate::{
    encoder::{Denoised, Sequence},
    text::{
        NativeText,
        language::{Language, TextEncoder},
        suspects::Suspect,
        windows::at_most,
    },
};

/// The most sentences of a message that are read one by one. If there are more, neighbours are joined.
const MAX_SENTENCES: usize = 64;

/// The models' scores of a message or of a part of it.
#[derive(Clone, Debug)]
pub struct PartScores {
    pub language: Language,
    /// The encoder that read it.
    pub encoder: TextEncoder,
    pub native: Categories,
    /// The output of the encoder's decoder.
    pub decoder: Denoised,
    /// The log-odds that are subtracted from its harms, compared with those of the whole message.
    pub penalty: f64,
    /// Its bytes in the message; empty for the whole.
    pub span: Range<usize>,
}

/// A message's native scores, and the input of the encoders.
pub(super) struct HybridReading {
    pub(super) scores: TextScores,
    pub(super) language: Language,
    /// The number of sequences of the whole message, which are the first ones of its encoder.
    whole: usize,
    parts: Vec<MessagePart>,
    pub(super) sequences: PerEncoder<Vec<Sequence>>,
}

/// A window of a message.
struct MessagePart {
    language: Language,
    encoder: TextEncoder,
    /// The index of its sequence among those of its encoder.
    sequence: usize,
    native: Categories,
    penalty: f64,
    /// Its bytes in the message.
    span: Range<usize>,
}

impl HybridReading {
    /// Scores a message with the native model, and chooses the sequences that the encoders read. A part that is
    /// repeated has one sequence.
    pub(super) fn of(
        models: &PerEncoder<EncoderModel>,
        native: &NativeText,
        message: TextInput,
    ) -> Result<Self, EngineError> {
        let (scores, reading) = native.score_windows(&message);
        let content = &message.content;
        let text = &reading.text;
        let language = reading.language;
        let mut sequences = PerEncoder { english: Vec::new(), multilingual: Vec::new() };
        let own = models.of(language.encoder()).whole(content)?;
        let whole = own.len();
        *sequences.of_mut(language.encoder()) = own;
        let mut parts = Vec::new();
        if let Some(other) = language.other_encoder(text.words.len()) {
            let read = models.of(other).whole(content)?;
            let sequence = sequences.of(other).len();
            sequences.of_mut(other).extend(read.into_iter().take(1));
            let native = scores.categories;
            parts.push(MessagePart { language, encoder: other, sequence, native, penalty: 0.0, span: 0..0 });
        }
        let mut places = HashMap::new();
        let sentences = at_most(&reading.sentences, MAX_SENTENCES);
        for Suspect { window, categories } in native.suspects(&reading, &sentences) {
            let words = window.words;
            let language = Language::detect(content, text, words.clone());
            let encoder = language.encoder();
            let model = models.of(encoder);
            let sequences = sequences.of_mut(encoder);
            let prepared = EncoderMessage { encoder, content, links: &reading.links, read: text };
            let tokens = model.tokenize(&prepared.window(words.clone()))?;
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
            let span = text.words[words.start].from..text.words[words.end - 1].to;
            let penalty = window.penalty.into();
            parts.push(MessagePart { language, encoder, sequence, native: categories, penalty, span });
        }
        Ok(Self { scores, language, whole, parts, sequences })
    }

    /// The scores of the whole message and of its parts.
    ///
    /// # Errors
    /// A sequence without an output.
    pub(super) fn part_scores(
        &self,
        denoised: &PerEncoder<Vec<Denoised>>,
    ) -> Result<Vec<PartScores>, EngineError> {
        let whole = denoised.of(self.language.encoder()).get(..self.whole).and_then(worst);
        let mut all = vec![PartScores {
            language: self.language,
            encoder: self.language.encoder(),
            native: self.scores.categories,
            decoder: whole.ok_or_else(missing_output)?,
            penalty: 0.0,
            span: 0..0,
        }];
        for part in &self.parts {
            let decoder = denoised.of(part.encoder).get(part.sequence);
            all.push(PartScores {
                language: part.language,
                encoder: part.encoder,
                native: part.native,
                decoder: *decoder.ok_or_else(missing_output)?,
                penalty: part.penalty,
                span: part.span.clone(),
            });
        }
        Ok(all)
    }
}

fn missing_output() -> EngineError {
    EngineError("the encoder did not read a part of the message".into())
}
