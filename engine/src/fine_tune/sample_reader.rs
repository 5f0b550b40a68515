//! Reads samples with the base model: each label becomes a row, and its state is dropped.

use std::{collections::BTreeMap, sync::Arc};

use ports::{
    EngineError, Flow,
    decision::{DecisionFault, DecisionInput, DecisionMode, Parameters, Question, QuestionKind},
    training::{TrainingLabel, TrainingSample},
};

use super::dataset::{KeyData, LabelledRow};
use crate::{
    decision::{
        DecisionModel,
        key_head::ln,
        question::{TokenizedQuestion, TokenizedRequest},
    },
    encoder::{Hidden, ScoringInput, Sequence},
    train::TrainingExample,
};

/// The most sequences of a label: about 6,000 words.
const MOST_SEQUENCES: usize = 16;
/// The most labels of a key.
const MOST_LABELS: usize = 10_000;
/// The greatest product of the numbers of labels and options of a key.
const MOST_CELLS: usize = 1_000_000;
/// The most labels of all keys, whose features then take 280 MB.
const MOST_ROWS: usize = 60_000;
/// The most bytes of hidden states, on which the last layer is trained.
const MOST_HIDDEN_BYTES: usize = 192 << 20;

/// Reads samples one at a time.
pub(super) struct SampleReader<'a> {
    model: &'a DecisionModel,
    questions: &'a [Question],
    pub(super) keys: Vec<KeyData>,
    /// Labels under keys that are no longer asked.
    pub(super) unknown_keys: BTreeMap<String, usize>,
    pub(super) samples: usize,
    rows: usize,
    hidden_bytes: usize,
}

/// A label that can be learned from.
struct UsableLabel {
    /// The index of its value.
    value: usize,
    /// With the label's question alone.
    request: TokenizedRequest,
}

impl<'a> SampleReader<'a> {
    pub(super) fn new(model: &'a DecisionModel, questions: &'a [Question]) -> Self {
        Self {
            model,
            questions,
            keys: Vec::new(),
            unknown_keys: BTreeMap::new(),
            samples: 0,
            rows: 0,
            hidden_bytes: 0,
        }
    }

    /// Reads all labels of a sample, until `goes_on` is false.
    ///
    /// # Errors
    /// A failure of the runtime.
    pub(super) fn read(
        &mut self,
        sample: &TrainingSample,
        goes_on: &dyn Fn() -> bool,
    ) -> Result<(), EngineError> {
        self.samples += 1;
        for label in &sample.labels {
            let Some(question) = self.questions.iter().find(|question| question.key == label.asked.key)
            else {
                *self.unknown_keys.entry(label.asked.key.clone()).or_default() += 1;
                continue;
            };
            let tokenized = self.tokenize(sample, question)?;
            let at = match self.keys.iter().position(|data| data.question.key == question.key) {
                Some(at) => at,
                None => {
                    // The order of the options is that of their texts, whatever the state.
                    let Some(tokenized) = &tokenized else { continue };
                    self.keys.push(new_key(question, &tokenized.questions[0]));
                    self.keys.len() - 1
                }
            };
            match self.usable(&self.keys[at], label, tokenized) {
                Err(reason) => *self.keys[at].left_out.entry(reason).or_default() += 1,
                Ok(label) => {
                    if let Some(row) = self.row(sample.content_hash, &label, goes_on)? {
                        self.keys[at].rows.push(row);
                        self.rows += 1;
                    }
                }
            }
        }
        Ok(())
    }

    /// Tokenizes a question about a sample's state; `None` when they are too long.
    fn tokenize(
        &self,
        sample: &TrainingSample,
        question: &Question,
    ) -> Result<Option<TokenizedRequest>, EngineError> {
        let input = DecisionInput {
            state: sample.state.value().clone(),
            questions: Arc::from([question.clone()]),
            mode: DecisionMode::Isolated,
            model: None,
            flow: Flow::default(),
            group: None,
            checkpoint: None,
            parameters: Parameters::default(),
        };
        match TokenizedRequest::of(self.model.readers(true), &input, self.model.token_work()) {
            Ok(request) => Ok(Some(request)),
            Err(DecisionFault::Engine(error)) => Err(error),
            Err(_) => Ok(None),
        }
    }

    /// Checks whether a label can be learned from.
    ///
    /// # Errors
    /// Why it is left out, for the report.
    fn usable(
        &self,
        data: &KeyData,
        label: &TrainingLabel,
        tokenized: Option<TokenizedRequest>,
    ) -> Result<UsableLabel, &'static str> {
        match (&label.asked.kind, &data.question.kind) {
            (QuestionKind::Score(then), QuestionKind::Score(now)) if then.len() != now.len() => {
                return Err("the question had another number of levels");
            }
            (then, now) if kind(then) != kind(now) => return Err("the question was of another type"),
            _ => {}
        }
        let value = data.values.iter().position(|value| *value == label.value);
        let value = value.ok_or("no longer an option")?;
        let full = data.rows.len() >= MOST_LABELS
            || (data.rows.len() + 1) * data.values.len() > MOST_CELLS
            || self.rows >= MOST_ROWS;
        if full {
            return Err("more labels than training uses");
        }
        let request =
            tokenized.filter(|request| request.questions[0].layout.sequences.len() <= MOST_SEQUENCES);
        Ok(UsableLabel { value, request: request.ok_or("too long to learn from")? })
    }

    /// Scores a label's question; `None` when `goes_on` says to stop.
    fn row(
        &mut self,
        content_hash: u64,
        label: &UsableLabel,
        goes_on: &dyn Fn() -> bool,
    ) -> Result<Option<LabelledRow>, EngineError> {
        let model = self.model;
        let question = &label.request.questions[0];
        let mut outputs = Vec::new();
        let mut hidden = None;
        for sequence in &question.layout.sequences {
            if !goes_on() {
                return Ok(None);
            }
            let heads = vec![Arc::clone(model.head())];
            let input = ScoringInput { sequence: sequence.clone(), heads, features: true };
            let (states, output) = model.scorer().score_now(input)?;
            outputs.push(output);
            hidden = Some(states);
        }
        let evidence = model.evidence_now(&label.request, &outputs)?;
        let zero_shot: Vec<f64> = evidence.zero_shot.iter().map(|p| ln(*p)).collect();
        let example = match (question.layout.sequences.as_slice(), hidden) {
            ([sequence], Some(hidden)) => {
                let temperature = model.config().temperature(&question.kind, zero_shot.len());
                self.example(sequence, &hidden, label.value, temperature as f32)
            }
            _ => None,
        };
        let features = evidence.features;
        Ok(Some(LabelledRow { content_hash, label: label.value, zero_shot, tuned: None, features, example }))
    }

    fn example(
        &mut self,
        sequence: &Sequence,
        hidden: &Hidden,
        label: usize,
        temperature: f32,
    ) -> Option<TrainingExample> {
        let values = hidden.of(0).get(..sequence.ids.len() * hidden.width)?;
        self.hidden_bytes += size_of_val(values);
        let mut target = vec![0.0; sequence.markers.len()];
        *target.get_mut(label)? = 1.0;
        (self.hidden_bytes <= MOST_HIDDEN_BYTES).then(|| TrainingExample {
            hidden: values.to_vec(),
            owners: sequence.owners.clone(),
            markers: sequence.markers.clone(),
            target,
            temperature,
        })
    }
}

fn new_key(question: &Question, tokenized: &TokenizedQuestion) -> KeyData {
    let values = tokenized.layout.order.iter().map(|option| tokenized.outcomes[*option].key.clone());
    KeyData {
        question: question.clone(),
        fingerprint: tokenized.fingerprint(),
        values: values.collect(),
        rows: Vec::new(),
        left_out: BTreeMap::new(),
    }
}

/// A prompt is read as a yes/no question.
fn kind(kind: &QuestionKind) -> &'static str {
    match kind {
        QuestionKind::Prompt => "noul",
        other => other.as_str(),
    }
}
