//! The backbone of an encoder: its embeddings and all layers below the heads.

use std::sync::Arc;

use ports::EngineError;

use super::{layers, sequence::Sequence, token_embeddings::TokenEmbeddings, weights::Weights};
use crate::runtime::{Input, OnnxModel, OutputTensor, Runtime};

/// The embeddings and the shared layers of an encoder.
pub struct Backbone {
    embeddings: Arc<TokenEmbeddings>,
    /// Row-major, like `segments`.
    positions: Vec<f32>,
    segments: Vec<f32>,
    /// Empty if the file has no table of ranks.
    ranks: Vec<f32>,
    model: OnnxModel,
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
        weights: &Weights,
        layers: usize,
    ) -> Result<Self, EngineError> {
        let width = embeddings.width();
        let positions = table(weights, "embeddings.position_embeddings.weight", width)?;
        let segments = table(weights, "embeddings.token_type_embeddings.weight", width)?;
        let ranks = "embeddings.rank_embeddings.weight";
        let ranks = if weights.has(ranks) { table(weights, ranks, width)? } else { Vec::new() };
        let model =
            weights.load_graph(runtime, "backbone", move |weights| layers::backbone(weights, layers))?;
        Ok(Self { embeddings, positions, segments, ranks, model })
    }

    pub fn embeddings(&self) -> &TokenEmbeddings {
        &self.embeddings
    }

    /// Runs a batch on the calling thread. All sequences must have the same padded length.
    ///
    /// # Errors An empty batch, several padded lengths, a position, segment or rank outside its table, or a failure of
    /// the runtime.
    pub fn run(&self, batch: &[&Sequence]) -> Result<Hidden, EngineError> {
        let width = self.embeddings.width();
        let padded_len = batch.first().map_or(0, |sequence| sequence.padded_len());
        if padded_len == 0 || batch.iter().any(|sequence| sequence.padded_len() != padded_len) {
            return Err(EngineError("a batch that is empty or has sequences of several lengths".into()));
        }
        let mut sums = vec![0.0; batch.len() * padded_len * width];
        for (n, sequence) in batch.iter().enumerate() {
            self.embed(sequence, &mut sums[n * padded_len * width..])?;
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
        match <[OutputTensor; 2]>::try_from(outputs) {
            Ok([hidden, features]) if hidden.data.len() == sums.len() => {
                Ok(Hidden { values: hidden.data, padded_len, width, features: features.data })
            }
            _ => Err(EngineError("the backbone returned an unexpected number of values".into())),
        }
    }

    /// Writes the sum of each token's embeddings to `sums`, row by row.
    fn embed(&self, sequence: &Sequence, sums: &mut [f32]) -> Result<(), EngineError> {
        let width = self.embeddings.width();
        let tokens = sequence.ids.iter().zip(&sequence.positions).zip(&sequence.segments);
        for (row, ((id, position), segment)) in sums.chunks_exact_mut(width).zip(tokens) {
            self.embeddings.look_up(*id, row)?;
            add(row, &self.positions, usize::from(*position))?;
            add(row, &self.segments, usize::from(*segment))?;
        }
        for (row, rank) in sums.chunks_exact_mut(width).zip(&sequence.ranks) {
            add(row, &self.ranks, usize::from(*rank))?;
        }
        Ok(())
    }
}

impl Hidden {
    /// The hidden states of sequence `n`, padding included.
    #[must_use]
    pub fn of(&self, n: usize) -> &[f32] {
        let size = self.padded_len * self.width;
        &self.values[n * size..(n + 1) * size]
    }

    /// The features of sequence `n`, whose number does not depend on its length: the embeddings and the lowest layers'
    /// hidden states, side by side, each averaged over the tokens of the last segment.
    #[must_use]
    pub fn features(&self, n: usize) -> &[f32] {
        let size = self.features.len() / (self.values.len() / (self.padded_len * self.width));
        &self.features[n * size..(n + 1) * size]
    }
}

fn table(weights: &Weights, name: &str, width: usize) -> Result<Vec<f32>, EngineError> {
    weights.rows(name, width).map_err(|error| weights.fault(error))
}

fn add(row: &mut [f32], table: &[f32], index: usize) -> Result<(), EngineError> {
    let start = index * row.len();
    let Some(embedding) = table.get(start..start + row.len()) else {
        return Err(EngineError(format!("a table of embeddings has no row {index}")));
    };
    row.iter_mut().zip(embedding).for_each(|(value, more)| *value += more);
    Ok(())
}

impl std::fmt::Debug for Backbone {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Backbone").field("model", &self.model).finish_non_exhaustive()
    }
}
