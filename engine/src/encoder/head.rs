//! The head of an encoder: its last layer, computed only at the markers, and the scoring layers. Many heads can share
//! one backbone; a Judge's Checkpoint is a head.

use ports::EngineError;

use super::{backbone::Hidden, layers, sequence::Sequence, weights::Weights};
use crate::runtime::{Input, OnnxModel, Runtime};

/// The number of markers is padded to a multiple of this, for the same reason as a sequence's length.
const STEP: usize = 4;

/// The last layer and the scoring layers.
#[derive(Debug)]
pub struct Head {
    model: OnnxModel,
    width: usize,
}

impl Head {
    /// Loads layer `layer` and the scoring layers of a weight file, which need not hold anything else. Linear layers
    /// may be quantised or plain.
    ///
    /// # Errors
    /// A tensor that is missing or of the wrong type or shape, or a graph that the runtime refuses.
    pub fn load(runtime: &Runtime, weights: &Weights, layer: usize) -> Result<Self, EngineError> {
        let width = layers::width(weights).map_err(|error| weights.fault(error))?;
        let model = weights.load_graph(runtime, "head", move |weights| layers::head(weights, layer))?;
        Ok(Self { model, width })
    }

    /// Computes a logit for each marker of the sequences in `chosen`, on the calling thread. `chosen` are indexes into
    /// `batch`; `hidden` is the backbone's output for it.
    ///
    /// # Errors
    /// A backbone of another width, a marker outside its sequence, or a failure of the runtime.
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
        let padded: Vec<usize> =
            chosen.iter().map(|n| batch[*n].markers.len().next_multiple_of(STEP)).collect();
        let mut rest: Vec<usize> = (0..chosen.len()).filter(|at| padded[*at] > 0).collect();
        while let Some(&first) = rest.first() {
            let markers = padded[first];
            let (alike, others): (Vec<_>, Vec<_>) = rest.into_iter().partition(|at| padded[*at] == markers);
            rest = others;
            let numbers: Vec<usize> = alike.iter().map(|at| chosen[*at]).collect();
            let scores = self.run_alike(hidden, batch, &numbers, markers)?;
            for (at, scores) in alike.iter().zip(scores.chunks_exact(markers)) {
                logits[*at] = scores[..batch[chosen[*at]].markers.len()].to_vec();
            }
        }
        Ok(logits)
    }

    /// The logits of sequences that are padded to `markers` markers, padding included.
    fn run_alike(
        &self,
        hidden: &Hidden,
        batch: &[&Sequence],
        numbers: &[usize],
        markers: usize,
    ) -> Result<Vec<f32>, EngineError> {
        let padded_len = hidden.padded_len;
        let width = hidden.width;
        let count = numbers.len();
        let mut queries = Vec::with_capacity(count * markers * width);
        let mut values = Vec::new();
        let mut mask = Vec::with_capacity(count * markers * padded_len);
        let mut row = vec![0.0; padded_len];
        for &number in numbers {
            let vectors = hidden.of(number);
            for marker in &batch[number].markers {
                let start = *marker as usize * width;
                let Some(vector) = vectors.get(start..start + width) else {
                    return Err(EngineError(format!("a marker at token {marker} of {padded_len}")));
                };
                queries.extend_from_slice(vector);
                batch[number].mask(*marker as usize, &mut row);
                mask.extend_from_slice(&row);
            }
            // Padding repeats the first token; its logits are dropped.
            for _ in batch[number].markers.len()..markers {
                queries.extend_from_slice(&vectors[..width]);
                batch[number].mask(0, &mut row);
                mask.extend_from_slice(&row);
            }
            values.extend_from_slice(vectors);
        }
        let outputs = self.model.run(&[
            Input::f32("hidden", &[count, padded_len, width], &values),
            Input::f32("mask", &[count, 1, markers, padded_len], &mask),
            Input::f32("queries", &[count, markers, width], &queries),
        ])?;
        match outputs.into_iter().next().map(|tensor| tensor.data) {
            Some(scores) if scores.len() == count * markers && scores.iter().all(|s| s.is_finite()) => {
                Ok(scores)
            }
            _ => Err(EngineError("the head did not return a number for each marker".into())),
        }
    }
}
