//! A network that reads a state once for any number of questions. Texts are encoded each alone; in the upper layers the
//! tokens of a question and its options attend to each other and to the keys and values of the state. An option sees
//! itself, the question and the state, not the other options.
//!
//! The score of an option is `head(..) + a (cos(state, option) - .85) + c (cos(question, option) - .85)`, where `a` and
//! `c` depend on the type of question. The same as `training/decision/multilingual/network.py`.

use std::{collections::BTreeMap, sync::Arc};

use half::{f16, slice::HalfFloatSliceExt as _};
use ports::EngineError;

use super::{
    error::WeightError,
    net::HEAD_WIDTH,
    reader_arrays::{JoinArrays, JoinShape},
    reader_graph::{self, ReaderShape, read_name},
    sequence::MASKED_SCORE,
    token_embeddings::TokenEmbeddings,
    weights::{LinearLayer, Matrix, Weights},
};
use crate::runtime::{Input, OnnxModel, OutputTensor, Runtime};

/// The most tokens of a run, unless one text or question alone has more. A session keeps the memory of its largest run,
/// and larger runs are not faster.
const RUN_TOKENS: usize = 1_024;
/// The numbers of tokens and options are padded to multiples of these.
const TOKEN_STEP: usize = 16;
const OPTION_STEP: usize = 4;
/// Subtracted from cosines.
const SIMILARITY_CENTRE: f32 = 0.85;
/// Types of questions: choice, score, yes/no.
const KINDS: usize = 3;
/// Ranks of values.
const RANKS: usize = 64;

/// The network.
pub struct StateReader {
    embeddings: Arc<TokenEmbeddings>,
    shape: ReaderShape,
    positions: Vec<f32>,
    /// Added to the tokens of questions, and of options.
    marks: Vec<f32>,
    ranks: Vec<f32>,
    /// For each of the keys and values, what each rank adds to a token of the state, `[RANKS, width]`.
    shifts: Vec<Vec<f32>>,
    /// By type of question.
    state_similarity: Vec<f32>,
    question_similarity: Vec<f32>,
    encoder: OnnxModel,
    join: OnnxModel,
}

/// A state, or a window of one, to be encoded.
#[derive(Clone, Copy, Debug)]
pub struct StateInput<'a> {
    /// At most 512 tokens.
    pub ids: &'a [u32],
    /// The rank of each token's value; 0 without a value.
    pub ranks: &'a [u8],
}

/// What questions read of a state.
#[derive(Clone, Debug)]
pub struct EncodedState {
    tokens: usize,
    padded: usize,
    /// A unit vector.
    pooled: Vec<f32>,
    /// Keys and values of the upper layers in turn, each `[heads, padded, HEAD_WIDTH]`; in 16 bits, since a long state
    /// has many windows.
    read: Vec<Vec<f16>>,
}

impl EncodedState {
    /// A unit vector.
    pub fn pooled(&self) -> &[f32] {
        &self.pooled
    }
}

/// An encoded question or option.
#[derive(Clone, Debug)]
pub struct EncodedText {
    /// A unit vector.
    pooled: Vec<f32>,
    /// `[tokens, width]`, as they enter the upper layers.
    middle: Vec<f32>,
}

/// A question or an option, with the rank of each token's value on the scale of the state.
#[derive(Clone, Debug)]
pub struct JoinText {
    pub text: Arc<EncodedText>,
    pub ranks: Vec<u8>,
    /// The tokens that enter the upper layers: without the prefix and the end.
    pub tokens: Vec<usize>,
}

/// A question about a state.
#[derive(Clone, Debug)]
pub struct JoinInput {
    /// 0 for a choice, 1 for a score, 2 for yes or no.
    pub kind: usize,
    pub state: Arc<EncodedState>,
    pub question: JoinText,
    pub options: Vec<JoinText>,
}

impl StateReader {
    /// Loads the network from a weight file; `split` is the first layer in which a question reads the state.
    ///
    /// # Errors
    /// A tensor that is missing or of the wrong type or shape, or a graph that the runtime refuses.
    pub fn load(
        runtime: &Runtime,
        embeddings: Arc<TokenEmbeddings>,
        weights: &Weights,
        split: usize,
    ) -> Result<Self, EngineError> {
        let shape = ReaderShape { width: embeddings.width(), layers: weights.layers(), split };
        let parts = Parts::read(weights, shape).map_err(|error| weights.fault(error))?;
        let encoder =
            weights.load_graph(runtime, "texts", move |weights| reader_graph::encoder(weights, shape))?;
        let join =
            weights.load_graph(runtime, "questions", move |weights| reader_graph::join(weights, shape))?;
        let Parts { positions, marks, ranks, shifts, state_similarity, question_similarity } = parts;
        Ok(Self {
            embeddings,
            shape,
            positions,
            marks,
            ranks,
            shifts,
            state_similarity,
            question_similarity,
            encoder,
            join,
        })
    }

    pub fn embeddings(&self) -> &TokenEmbeddings {
        &self.embeddings
    }

    /// Encodes states on the calling thread, in order.
    ///
    /// # Errors
    /// A text without tokens or with more than there are positions, a rank outside the table, or a failure of the
    /// runtime.
    pub fn encode_states(&self, states: &[StateInput<'_>]) -> Result<Vec<EncodedState>, EngineError> {
        let ids: Vec<&[u32]> = states.iter().map(|state| state.ids).collect();
        self.encode(&ids, |numbers, padded, outputs| {
            let states = numbers.iter().map(|n| &states[*n]).enumerate();
            states.map(|(at, state)| self.encoded_state(state, padded, outputs, at)).collect()
        })
    }

    /// Encodes questions and options on the calling thread, in order.
    ///
    /// # Errors
    /// Like [`encode_states`](Self::encode_states).
    pub fn encode_texts(&self, texts: &[&[u32]]) -> Result<Vec<EncodedText>, EngineError> {
        let width = self.shape.width;
        self.encode(texts, |numbers, padded, outputs| {
            let texts = numbers.iter().enumerate().map(|(at, n)| EncodedText {
                pooled: unit(&outputs[0].data[at * width..(at + 1) * width]),
                middle: outputs[1].data[at * padded * width..][..texts[*n].len() * width].to_vec(),
            });
            Ok(texts.collect())
        })
    }

    /// The scores of each question's options, on the calling thread.
    ///
    /// # Errors
    /// A rank or a token that there is not, or a failure of the runtime.
    pub fn join(&self, questions: &[JoinInput]) -> Result<Vec<Vec<f32>>, EngineError> {
        let mut alike: BTreeMap<JoinShape, Vec<usize>> = BTreeMap::new();
        for (n, question) in questions.iter().enumerate() {
            alike.entry(question.shape()).or_default().push(n);
        }
        let mut scores = vec![Vec::new(); questions.len()];
        for (shape, numbers) in alike {
            for run in numbers.chunks(per_run(shape.tokens + shape.state)) {
                let batch: Vec<&JoinInput> = run.iter().map(|n| &questions[*n]).collect();
                let found = self.join_alike(shape, &batch)?;
                run.iter().zip(found).for_each(|(n, found)| scores[*n] = found);
            }
        }
        Ok(scores)
    }

    /// Runs the encoder on texts of one padded length at a time; `encoded` makes what is kept of its outputs.
    fn encode<T>(
        &self,
        texts: &[&[u32]],
        encoded: impl Fn(&[usize], usize, &[OutputTensor]) -> Result<Vec<T>, EngineError>,
    ) -> Result<Vec<T>, EngineError> {
        let mut alike: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (n, text) in texts.iter().enumerate() {
            alike.entry(text.len().next_multiple_of(TOKEN_STEP)).or_default().push(n);
        }
        let mut all: Vec<Option<T>> = texts.iter().map(|_| None).collect();
        for (padded, numbers) in alike {
            for run in numbers.chunks(per_run(padded)) {
                let batch: Vec<&[u32]> = run.iter().map(|n| texts[*n]).collect();
                let outputs = self.run_encoder(&batch, padded)?;
                for (n, found) in run.iter().zip(encoded(run, padded, &outputs)?) {
                    all[*n] = Some(found);
                }
            }
        }
        let found = all.into_iter().collect::<Option<Vec<T>>>();
        found.ok_or_else(|| EngineError("the encoder skipped a text".into()))
    }

    fn run_encoder(&self, texts: &[&[u32]], padded: usize) -> Result<Vec<OutputTensor>, EngineError> {
        let width = self.shape.width;
        let mut sums = vec![0.0; texts.len() * padded * width];
        let mut mask = vec![MASKED_SCORE; texts.len() * padded];
        let mut shares = vec![0.0; texts.len() * padded];
        for (n, text) in texts.iter().enumerate() {
            if text.is_empty() {
                return Err(EngineError("a text without tokens".into()));
            }
            mask[n * padded..][..text.len()].fill(0.0);
            shares[n * padded..][..text.len()].fill(1.0 / text.len() as f32);
            let rows = sums[n * padded * width..].chunks_exact_mut(width);
            for ((row, id), position) in rows.zip(*text).zip(0..) {
                self.embeddings.look_up(*id, row)?;
                add(row, &self.positions, position)?;
            }
        }
        let outputs = self.encoder.run(&[
            Input::f32("embeddings", &[texts.len(), padded, width], &sums),
            Input::f32("mask", &[texts.len(), 1, 1, padded], &mask),
            Input::f32("shares", &[texts.len(), 1, padded], &shares),
        ])?;
        let expected = 2 + 2 * (self.shape.layers - self.shape.split);
        let sized = outputs.iter().skip(1).all(|output| output.data.len() == sums.len());
        if outputs.len() != expected || outputs[0].data.len() != texts.len() * width || !sized {
            return Err(EngineError("the encoder returned an unexpected number of values".into()));
        }
        Ok(outputs)
    }

    fn encoded_state(
        &self,
        state: &StateInput<'_>,
        padded: usize,
        outputs: &[OutputTensor],
        at: usize,
    ) -> Result<EncodedState, EngineError> {
        let width = self.shape.width;
        let size = padded * width;
        let mut read = Vec::with_capacity(self.shifts.len());
        for (output, shift) in outputs[2..].iter().zip(&self.shifts) {
            let mut values = output.data[at * size..(at + 1) * size].to_vec();
            add_shifts(&mut values, padded, state.ranks, shift)?;
            let mut kept = vec![f16::ZERO; size];
            kept.convert_from_f32_slice(&values);
            read.push(kept);
        }
        let pooled = unit(&outputs[0].data[at * width..(at + 1) * width]);
        Ok(EncodedState { tokens: state.ids.len(), padded, pooled, read })
    }

    /// The scores of questions of one shape.
    fn join_alike(&self, shape: JoinShape, batch: &[&JoinInput]) -> Result<Vec<Vec<f32>>, EngineError> {
        let width = self.shape.width;
        let count = batch.len();
        let mut arrays = JoinArrays::new(shape, width, count);
        for (n, question) in batch.iter().enumerate() {
            self.fill(&mut arrays, n, shape, question)?;
        }
        let heads = width / HEAD_WIDTH;
        let layers = self.shifts.len();
        let names: Vec<String> = (0..layers).map(read_name).collect();
        let read: Vec<Vec<f32>> = (0..layers)
            .map(|layer| batch.iter().flat_map(|question| question.state.read[layer].to_f32_vec()).collect())
            .collect();
        let of_state = [count, heads, shape.state, HEAD_WIDTH];
        let of_joint = [count, shape.tokens, width];
        let of_mask = [count, 1, shape.tokens, shape.tokens + shape.state];
        let of_shares = [count, shape.options, shape.tokens];
        let of_one = [count, 1, width];
        let of_options = [count, shape.options, width];
        let mut inputs = vec![
            Input::f32("joint", &of_joint, &arrays.joint),
            Input::f32("mask", &of_mask, &arrays.mask),
            Input::f32("options", &of_shares, &arrays.options),
            Input::f32("asked", &of_shares, &arrays.asked),
            Input::f32("state", &of_one, &arrays.state),
            Input::f32("question", &of_one, &arrays.question),
            Input::f32("option", &of_options, &arrays.option),
        ];
        inputs.extend(names.iter().zip(&read).map(|(name, values)| Input::f32(name, &of_state, values)));
        let outputs = self.join.run(&inputs)?;
        let scores = outputs.first().map(|output| output.data.as_slice()).unwrap_or_default();
        if scores.len() != count * shape.options || !scores.iter().all(|score| score.is_finite()) {
            return Err(EngineError("the network did not return a number for each option".into()));
        }
        let rows = batch.iter().zip(scores.chunks_exact(shape.options));
        Ok(rows.map(|(question, scores)| self.with_similarities(question, scores)).collect())
    }

    /// Writes question `n` of a batch to its inputs.
    fn fill(
        &self,
        arrays: &mut JoinArrays,
        n: usize,
        shape: JoinShape,
        question: &JoinInput,
    ) -> Result<(), EngineError> {
        let width = self.shape.width;
        let mut owners = Vec::with_capacity(shape.tokens);
        let joint = &mut arrays.joint[n * shape.tokens * width..][..shape.tokens * width];
        let mut rows = joint.chunks_exact_mut(width);
        for (owner, text) in question.texts().enumerate() {
            for token in &text.tokens {
                let hidden = text.text.middle.get(token * width..(token + 1) * width);
                let Some(entry) = rows.next().zip(hidden) else {
                    return Err(EngineError(format!("no token {token} in a question or an option")));
                };
                let row = entry.0;
                row.copy_from_slice(entry.1);
                add(row, &self.marks, owner.min(1))?;
                add(row, &self.ranks, text.ranks.get(*token).copied().unwrap_or(0).into())?;
                owners.push(owner);
            }
        }
        arrays.mark(n, shape, &owners, question.state.tokens);
        arrays.state[n * width..][..width].copy_from_slice(&question.state.pooled);
        arrays.question[n * width..][..width].copy_from_slice(&question.question.text.pooled);
        let options = arrays.option[n * shape.options * width..].chunks_exact_mut(width);
        options.zip(&question.options).for_each(|(row, option)| row.copy_from_slice(&option.text.pooled));
        Ok(())
    }

    fn with_similarities(&self, question: &JoinInput, scores: &[f32]) -> Vec<f32> {
        let kind = question.kind.min(KINDS - 1);
        let state = self.state_similarity[kind];
        let asked = self.question_similarity[kind];
        let scored = question.options.iter().zip(scores).map(|(option, score)| {
            let option = &option.text.pooled;
            let by_state = dot(&question.state.pooled, option) - SIMILARITY_CENTRE;
            let by_question = dot(&question.question.text.pooled, option) - SIMILARITY_CENTRE;
            score + state * by_state + asked * by_question
        });
        scored.collect()
    }
}

impl JoinInput {
    /// The question and its options.
    fn texts(&self) -> impl Iterator<Item = &JoinText> {
        std::iter::once(&self.question).chain(&self.options)
    }

    fn shape(&self) -> JoinShape {
        let tokens: usize = self.texts().map(|text| text.tokens.len()).sum();
        JoinShape {
            tokens: tokens.next_multiple_of(TOKEN_STEP),
            state: self.state.padded,
            options: self.options.len().next_multiple_of(OPTION_STEP),
        }
    }
}

/// How many texts or questions of `tokens` each share a run.
fn per_run(tokens: usize) -> usize {
    (RUN_TOKENS / tokens.max(1)).max(1)
}

/// Adds to the keys or values of a state's tokens, `[heads, padded, HEAD_WIDTH]`, what their ranks add, `[RANKS,
/// width]`.
fn add_shifts(values: &mut [f32], padded: usize, ranks: &[u8], shift: &[f32]) -> Result<(), EngineError> {
    let width = values.len() / padded;
    for (head, of_head) in values.chunks_exact_mut(padded * HEAD_WIDTH).enumerate() {
        for (row, rank) in of_head.chunks_exact_mut(HEAD_WIDTH).zip(ranks) {
            let start = usize::from(*rank) * width + head * HEAD_WIDTH;
            let more = shift.get(start..start + HEAD_WIDTH);
            let more = more.ok_or_else(|| EngineError(format!("no rank {rank}")))?;
            row.iter_mut().zip(more).for_each(|(value, more)| *value += more);
        }
    }
    Ok(())
}

fn add(row: &mut [f32], table: &[f32], index: usize) -> Result<(), EngineError> {
    let start = index * row.len();
    let more = table.get(start..start + row.len());
    let more = more.ok_or_else(|| EngineError(format!("a table of embeddings has no row {index}")))?;
    row.iter_mut().zip(more).for_each(|(value, more)| *value += more);
    Ok(())
}

fn dot(one: &[f32], other: &[f32]) -> f32 {
    one.iter().zip(other).map(|(a, b)| a * b).sum()
}

/// The unit vector in the direction of the mean.
pub fn unit_mean(vectors: &[Vec<f32>]) -> Vec<f32> {
    let mut sum = vectors.first().cloned().unwrap_or_default();
    for vector in vectors.iter().skip(1) {
        sum.iter_mut().zip(vector).for_each(|(sum, value)| *sum += value);
    }
    unit(&sum)
}

fn unit(vector: &[f32]) -> Vec<f32> {
    let length = dot(vector, vector).sqrt().max(1e-12);
    vector.iter().map(|value| value / length).collect()
}

/// The parts of a weight file that are not in the graphs.
struct Parts {
    positions: Vec<f32>,
    marks: Vec<f32>,
    ranks: Vec<f32>,
    shifts: Vec<Vec<f32>>,
    state_similarity: Vec<f32>,
    question_similarity: Vec<f32>,
}

impl Parts {
    fn read(weights: &Weights, shape: ReaderShape) -> Result<Self, WeightError> {
        let width = shape.width;
        let ranks = weights.vector("join.rank_embeddings", RANKS * width)?;
        let upper = shape.layers.saturating_sub(shape.split);
        let states = weights.vector("join.state_embeddings", upper * width)?;
        let mut shifts = Vec::with_capacity(2 * upper);
        for (layer, of_layer) in (shape.split..).zip(states.chunks_exact(width)) {
            let rows: Vec<f32> = ranks
                .chunks_exact(width)
                .flat_map(|row| row.iter().zip(of_layer).map(|(a, b)| a + b))
                .collect();
            let divisor = weights.vector(&format!("encoder.layer.{layer}.hidden.divisor"), width)?;
            for part in ["key", "value"] {
                let linear = weights.linear(&format!("encoder.layer.{layer}.attention.self.{part}"))?;
                shifts.push(without_bias(&linear, &divisor, &rows));
            }
        }
        Ok(Self {
            positions: weights.rows("embeddings.position_embeddings.weight", width)?,
            marks: weights.vector("join.embeddings", 2 * width)?,
            ranks,
            shifts,
            state_similarity: weights.vector("score.state_similarity", KINDS)?,
            question_similarity: weights.vector("score.question_similarity", KINDS)?,
        })
    }
}

/// Applies a linear layer to rows in f32, without its bias. The layer's weights are multiplied by `divisor`.
fn without_bias(linear: &LinearLayer, divisor: &[f32], rows: &[f32]) -> Vec<f32> {
    let weight: Vec<f32> = match &linear.weight {
        Matrix::Plain(weight) => weight.clone(),
        Matrix::Quantised(weight, scales) => weight
            .chunks_exact(linear.inputs)
            .zip(scales)
            .flat_map(|(row, scale)| row.iter().map(move |value| f32::from(*value) * scale))
            .collect(),
    };
    let mut out = Vec::with_capacity(rows.len() / linear.inputs * linear.outputs);
    for row in rows.chunks_exact(linear.inputs) {
        let divided: Vec<f32> = row.iter().zip(divisor).map(|(value, divisor)| value / divisor).collect();
        out.extend(weight.chunks_exact(linear.inputs).map(|of_output| dot(of_output, &divided)));
    }
    out
}

impl std::fmt::Debug for StateReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StateReader").field("shape", &self.shape).finish_non_exhaustive()
    }
}
