//! The backbone of an encoder: its embeddings and most of its layers, shared by whatever is read off its top.

use std::sync::Arc;

use domain::ports::EngineError;

use super::{layers, sequence::Sequence, weights::Weights, words::Words};
use crate::runtime::{Input, Model, Runtime};

/// The embeddings and the first layers of an encoder.
pub struct Backbone {
    words: Arc<Words>,
    /// Row after row, as `segments` too.
    positions: Vec<f32>,
    segments: Vec<f32>,
    model: Model,
}

/// What a backbone makes of a batch.
#[derive(Clone, Debug)]
pub struct Hidden {
    /// `[sequences, filled, width]`, the last dimension running fastest.
    pub values: Vec<f32>,
    /// The length that every sequence was filled up to.
    pub filled: usize,
    /// The width of a token's vector.
    pub width: usize,
}

impl Backbone {
    /// The first `layers` layers of a weight file.
    ///
    /// # Errors
    /// A tensor that is missing or of another type or shape; a graph that the runtime does not take.
    pub fn load(
        runtime: &Runtime,
        words: Arc<Words>,
        weights: &Weights<'_>,
        layers: usize,
    ) -> Result<Self, EngineError> {
        let width = words.width();
        let fault = |why: String| EngineError(format!("{} {}: {why}", weights.name, weights.version));
        let table = |name: &str| match weights.floats(name) {
            Ok((shape, values)) if shape.len() == 2 && shape[1] == width => Ok(values),
            Ok((shape, _)) => Err(format!("`{name}` has the shape {shape:?}, the words' width is {width}")),
            Err(error) => Err(error),
        };
        let positions = table("embeddings.position_embeddings.weight").map_err(fault)?;
        let segments = table("embeddings.token_type_embeddings.weight").map_err(fault)?;
        let graph = layers::backbone(weights, layers).map_err(fault)?;
        let model = runtime.load_bytes(&format!("{}'s backbone", weights.name), graph.to_bytes())?;
        Ok(Self { words, positions, segments, model })
    }

    /// What reads its words.
    pub fn words(&self) -> &Words {
        &self.words
    }

    /// Runs a batch on the calling thread. All sequences fill up to the same length.
    ///
    /// # Errors
    /// No sequence, or one of another length; a position or segment that the tables do not have; the runtime's own.
    pub fn run(&self, batch: &[&Sequence]) -> Result<Hidden, EngineError> {
        let width = self.words.width();
        let filled = batch.first().map_or(0, |sequence| sequence.filled());
        if filled == 0 || batch.iter().any(|sequence| sequence.filled() != filled) {
            return Err(EngineError("a batch of sequences of several lengths, or of none".into()));
        }
        let mut sums = vec![0.0; batch.len() * filled * width];
        for (n, sequence) in batch.iter().enumerate() {
            let rows = sums[n * filled * width..].chunks_exact_mut(width);
            let tokens = sequence.ids.iter().zip(&sequence.positions).zip(&sequence.segments);
            for (row, ((id, position), segment)) in rows.zip(tokens) {
                self.words.look_up(*id, row);
                add(row, &self.positions, usize::from(*position))?;
                add(row, &self.segments, usize::from(*segment))?;
            }
        }
        // Without owners every token sees the same.
        let rows = if batch.iter().all(|sequence| sequence.owners.is_empty()) { 1 } else { filled };
        let mut mask = vec![0.0; batch.len() * rows * filled];
        for (n, row) in mask.chunks_exact_mut(filled).enumerate() {
            batch[n / rows].mask(n % rows, row);
        }
        let outputs = self.model.run(&[
            Input::f32("embeddings", &[batch.len(), filled, width], &sums),
            Input::f32("mask", &[batch.len(), 1, rows, filled], &mask),
        ])?;
        let values = outputs.into_iter().next().map(|tensor| tensor.data);
        let values = values.filter(|values| values.len() == sums.len());
        let values =
            values.ok_or_else(|| EngineError("the backbone gave another number of values".into()))?;
        Ok(Hidden { values, filled, width })
    }
}

impl Hidden {
    /// The vectors of sequence `n`, those that fill it up included.
    #[must_use]
    pub fn of(&self, n: usize) -> &[f32] {
        let size = self.filled * self.width;
        &self.values[n * size..(n + 1) * size]
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
