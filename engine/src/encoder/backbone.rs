//! The backbone of an encoder: its embeddings and all layers below the heads.

use std::sync::Arc;

use ports::EngineError;

use super::{layers, sequence::Sequence, token_embeddings::TokenEmbeddings, weights::Weights};
use crate::runtime::{Input, Model, Runtime, Tensor};

/// The embeddings and the shared layers of an encoder.
pub struct Backbone {
    embeddings: Arc<TokenEmbeddings>,
    /// Row-major, like `segments`.
    positions: Vec<f32>,
    segments: Vec<f32>,
    /// Empty without a table of ranks.
    ranks: Vec<f32>,
    model: Model,
}

/// The hidden states of a batch.
#[derive(Clone, Debug)]
pub struct Hidden {
    /// `[sequences, padded_len, width]`, row-major.
    pub values: Vec<f32>,
    /// The padded length of every sequence.
    pub padded_len: usize,
    /// Size of a token's hidden state.
    pub width: usize,
    /// `[sequences, features]`, row-major.
    pub features: Vec<f32>,
}

impl Backbone {
    /// Loads the first `layers` layers of a weight file.
    ///
    /// # Errors
    /// A tensor that is missing or of the wrong type or shape, or a graph that the runtime refuses.
    pub fn load(
        runtime: &Runtime,
        embeddings: Arc<TokenEmbeddings>,
        weights: &Weights<'_>,
        layers: usize,
    ) -> Result<Self, EngineError> {
        let width = embeddings.width();
        let fault = |why: String| EngineError(format!("{} {}: {why}", weights.name, weights.version));
        let table = |name: &str| match weights.floats(name) {
            Ok((shape, values)) if shape.len() == 2 && shape[1] == width => Ok(values),
            Ok((shape, _)) => {
                Err(format!("`{name}` has the shape {shape:?}, the embeddings' width is {width}"))
            }
            Err(error) => Err(error),
        };
        let positions = table("embeddings.position_embeddings.weight").map_err(fault)?;
        let segments = table("embeddings.token_type_embeddings.weight").map_err(fault)?;
        let ranks = "embeddings.rank_embeddings.weight";
        let ranks = if weights.has(ranks) { table(ranks).map_err(fault)? } else { Vec::new() };
        let graph = layers::backbone(weights, layers).map_err(fault)?;
        let model = runtime.load_bytes(&format!("{}'s backbone", weights.name), graph.to_bytes())?;
        Ok(Self { embeddings, positions, segments, ranks, model })
    }

    pub fn embeddings(&self) -> &TokenEmbeddings {
        &self.embeddings
    }

    /// Runs a batch on the calling thread. All sequences must have the same padded length.
    ///
    /// # Errors
    /// An empty batch, several padded lengths, a position, segment or rank outside its table, or a failure of the runtime.
    pub fn run(&self, batch: &[&Sequence]) -> Result<Hidden, EngineError> {
        let width = self.embeddings.width();
        let padded_len = batch.first().map_or(0, |sequence| sequence.padded_len());
        if padded_len == 0 || batch.iter().any(|sequence| sequence.padded_len() != padded_len) {
            return Err(EngineError("a batch of sequences of several lengths, or of none".into()));
        }
        let mut sums = vec![0.0; batch.len() * padded_len * width];
        for (n, sequence) in batch.iter().enumerate() {
            let rows = sums[n * padded_len * width..].chunks_exact_mut(width);
            let tokens = sequence.ids.iter().zip(&sequence.positions).zip(&sequence.segments);
            for (row, ((id, position), segment)) in rows.zip(tokens) {
                self.embeddings.look_up(*id, row);
                add(row, &self.positions, usize::from(*position))?;
                add(row, &self.segments, usize::from(*segment))?;
            }
            let rows = sums[n * padded_len * width..].chunks_exact_mut(width);
            for (row, rank) in rows.zip(&sequence.ranks) {
                add(row, &self.ranks, usize::from(*rank))?;
            }
        }
        // Without owners all tokens have the same mask.
        let rows = if batch.iter().all(|sequence| sequence.owners.is_empty()) { 1 } else { padded_len };
        let mut mask = vec![0.0; batch.len() * rows * padded_len];
        for (n, row) in mask.chunks_exact_mut(padded_len).enumerate() {
            batch[n / rows].mask(n % rows, row);
        }
        let mut shares = vec![0.0; batch.len() * padded_len];
        shares.chunks_exact_mut(padded_len).zip(batch).for_each(|(row, sequence)| sequence.shares(row));
        let outputs = self.model.run(&[
            Input::f32("embeddings", &[batch.len(), padded_len, width], &sums),
            Input::f32("mask", &[batch.len(), 1, rows, padded_len], &mask),
            Input::f32("shares", &[batch.len(), 1, padded_len], &shares),
        ])?;
        match <[Tensor; 2]>::try_from(outputs) {
            Ok([hidden, features]) if hidden.data.len() == sums.len() => {
                Ok(Hidden { values: hidden.data, padded_len, width, features: features.data })
            }
            _ => Err(EngineError("the backbone gave another number of values".into())),
        }
    }
}

impl Hidden {
    /// The hidden states of sequence `n`, padding included.
    #[must_use]
    pub fn of(&self, n: usize) -> &[f32] {
        let size = self.padded_len * self.width;
        &self.values[n * size..(n + 1) * size]
    }

    /// The features of sequence `n`, as many whatever its length: the means over the tokens of its last segment of the
    /// embeddings and of the lowest layers' hidden states, side by side.
    #[must_use]
    pub fn features(&self, n: usize) -> &[f32] {
        let size = self.features.len() / (self.values.len() / (self.padded_len * self.width));
        &self.features[n * size..(n + 1) * size]
    }
}

fn add(row: &mut [f32], table: &[f32], index: usize) -> Result<(), EngineError> {
    let start = index * row.len();
    let with = table.get(start..start + row.len());
    let with = with.ok_or_else(|| EngineError(format!("no row {index} in a table of embeddings")))?;
    row.iter_mut().zip(with).for_each(|(value, more)| *value += more);
    Ok(())
}

impl std::fmt::Debug for Backbone {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Backbone").field("model", &self.model).finish_non_exhaustive()
    }
}
