//! The head of an encoder: its last layer, computed for the marked tokens alone, and the score read there. Many heads
//! may sit on one backbone; a Judge's Checkpoint is one.

use domain::ports::EngineError;

use super::{backbone::Hidden, layers, sequence::Sequence, weights::Weights};
use crate::runtime::{Input, Model, Runtime};

/// Numbers of marks are filled up to a multiple of this, for the same reason as lengths.
const STEP: usize = 4;

/// The last layer and the score layers.
#[derive(Debug)]
pub struct Head {
    model: Model,
    width: usize,
}

impl Head {
    /// Layer `layer` and the score layers of a weight file, which need not hold more: linear layers quantised or plain.
    ///
    /// # Errors
    /// A tensor that is missing or of another type or shape; a graph that the runtime does not take.
    pub fn load(runtime: &Runtime, weights: &Weights<'_>, layer: usize) -> Result<Self, EngineError> {
        let fault = |why: String| EngineError(format!("{} {}: {why}", weights.name, weights.version));
        let width = layers::width(weights).map_err(fault)?;
        let graph = layers::head(weights, layer).map_err(fault)?;
        let model = runtime.load_bytes(&format!("{}'s head", weights.name), graph.to_bytes())?;
        Ok(Self { model, width })
    }

    /// A logit for each mark of each sequence, on the calling thread. `chosen` are the sequences to score, by their number
    /// in the batch that `hidden` was made of, and `batch` is that batch.
    ///
    /// # Errors
    /// A backbone of another width; a mark that is no token of its sequence; the runtime's own.
    pub fn run(
        &self,
        hidden: &Hidden,
        batch: &[&Sequence],
        chosen: &[usize],
    ) -> Result<Vec<Vec<f32>>, EngineError> {
        if hidden.width != self.width {
            return Err(EngineError(format!(
                "a head of width {} on a backbone of {}",
                self.width, hidden.width
            )));
        }
        let mut logits = vec![Vec::new(); chosen.len()];
        let marks = |at: usize| batch[chosen[at]].marks.len().next_multiple_of(STEP);
        let mut rest: Vec<usize> = (0..chosen.len()).filter(|at| marks(*at) > 0).collect();
        while let Some(&first) = rest.first() {
            let (alike, others): (Vec<_>, Vec<_>) =
                rest.into_iter().partition(|at| marks(*at) == marks(first));
            rest = others;
            let numbers: Vec<usize> = alike.iter().map(|at| chosen[*at]).collect();
            let scores = self.run_alike(hidden, batch, &numbers, marks(first))?;
            for (at, scores) in alike.iter().zip(scores.chunks_exact(marks(first))) {
                logits[*at] = scores[..batch[chosen[*at]].marks.len()].to_vec();
            }
        }
        Ok(logits)
    }

    /// Scores of sequences that all fill up to `marks` marks, those that fill up included.
    fn run_alike(
        &self,
        hidden: &Hidden,
        batch: &[&Sequence],
        numbers: &[usize],
        marks: usize,
    ) -> Result<Vec<f32>, EngineError> {
        let (filled, width, count) = (hidden.filled, hidden.width, numbers.len());
        let mut queries = Vec::with_capacity(count * marks * width);
        let (mut values, mut mask) = (Vec::new(), Vec::with_capacity(count * marks * filled));
        let mut row = vec![0.0; filled];
        for &number in numbers {
            let vectors = hidden.of(number);
            for mark in &batch[number].marks {
                let start = *mark as usize * width;
                let vector = vectors.get(start..start + width);
                let vector =
                    vector.ok_or_else(|| EngineError(format!("a mark at token {mark} of {filled}")))?;
                queries.extend_from_slice(vector);
                batch[number].mask(*mark as usize, &mut row);
                mask.extend_from_slice(&row);
            }
            // What fills up is the first token, as good as any.
            for _ in batch[number].marks.len()..marks {
                queries.extend_from_slice(&vectors[..width]);
                batch[number].mask(0, &mut row);
                mask.extend_from_slice(&row);
            }
            values.extend_from_slice(vectors);
        }
        let outputs = self.model.run(&[
            Input::f32("hidden", &[count, filled, width], &values),
            Input::f32("mask", &[count, 1, marks, filled], &mask),
            Input::f32("queries", &[count, marks, width], &queries),
        ])?;
        let scores = outputs.into_iter().next().map(|tensor| tensor.data);
        let scores =
            scores.filter(|scores| scores.len() == count * marks && scores.iter().all(|s| s.is_finite()));
        scores.ok_or_else(|| EngineError("the head gave no number for a mark".into()))
    }
}
