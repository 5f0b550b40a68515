//! The backbone of an encoder: its embeddings and all layers below the heads.

use std::sync::Arc;

use domain::EngineError;

use super::{layers, sequence::Sequence, token_embeddings::TokenEmbeddings, weights::Weights};
use crate::runtime::{Input, Model, Runtime};

/// The embeddings and the shared layers of an encoder.
pub struct Backbone {
    embeddings: Arc<TokenEmbeddings>,
    /// Row-major, like `segments`.
    positions: Vec<f32>,
    segments: Vec<f32>,
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
        let graph = layers::backbone(weights, layers).map_err(fault)?;
        let model = runtime.load_bytes(&format!("{}'s backbone", weights.name), graph.to_bytes())?;
        Ok(Self { embeddings, positions, segments, model })
    }

    pub fn embeddings(&self) -> &TokenEmbeddings {
        &self.embeddings
    }

    /// Runs a batch on the calling thread. All sequences must have the same padded length.
    ///
    /// # Errors
    /// An empty batch, several padded lengths, a position or segment outside its table, or a failure of the runtime.
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
        }
        // Without owners all tokens have the same mask.
        let rows = if batch.iter().all(|sequence| sequence.owners.is_empty()) { 1 } else { padded_len };
        let mut mask = vec![0.0; batch.len() * rows * padded_len];
        for (n, row) in mask.chunks_exact_mut(padded_len).enumerate() {
            batch[n / rows].mask(n % rows, row);
        }
        let outputs = self.model.run(&[
            Input::f32("embeddings", &[batch.len(), padded_len, width], &sums),
            Input::f32("mask", &[batch.len(), 1, rows, padded_len], &mask),
        ])?;
        let values = outputs.into_iter().next().map(|tensor| tensor.data);
        let values = values.filter(|values| values.len() == sums.len());
        let values =
            values.ok_or_else(|| EngineError("the backbone gave another number of values".into()))?;
        Ok(Hidden { values, padded_len, width })
    }
}

impl Hidden {
    /// The hidden states of sequence `n`, padding included.
    #[must_use]
    pub fn of(&self, n: usize) -> &[f32] {
        let size = self.padded_len * self.width;
        &self.values[n * size..(n + 1) * size]
    }

    /// A fixed number of features of sequence `n`: the mean hidden state of the tokens of its last segment, and that of
    /// its markers, side by side.
    #[must_use]
    pub fn features(&self, n: usize, sequence: &Sequence) -> Vec<f32> {
        let vectors = self.of(n);
        let last = sequence.segments.iter().max();
        let of_state = (0..sequence.ids.len()).filter(|token| sequence.segments.get(*token) == last);
        let of_markers = sequence.markers.iter().map(|marker| *marker as usize);
        [mean(vectors, self.width, of_state), mean(vectors, self.width, of_markers)].concat()
    }
}

/// The mean of the rows `tokens` of `vectors`; zeros when there are none.
fn mean(vectors: &[f32], width: usize, tokens: impl Iterator<Item = usize>) -> Vec<f32> {
    let (mut sum, mut count) = (vec![0.0; width], 0u32);
    for row in tokens.filter_map(|token| vectors.get(token * width..(token + 1) * width)) {
        sum.iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
        count += 1;
    }
    sum.iter_mut().for_each(|value| *value /= count.max(1) as f32);
    sum
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
