//! A masked diffusion decoder on a backbone. Its output slots begin masked, attend to each other and to the message,
//! and are unmasked in several passes, the most confident first.
//!
//! The architecture, the tensors and the order of unmasking are those of `training/hybrid/README.md`.

use ports::EngineError;

use super::{backbone::Hidden, decoder_graph, error::WeightError, sequence::Sequence, weights::Weights};
use crate::runtime::{Input, OnnxModel, Runtime};

/// Binary slots, one for each harm.
pub const HARMS: usize = 8;
/// Values of the last slot, the action.
pub const ACTIONS: usize = 4;
const SLOTS: usize = HARMS + 1;
/// Rows of the value table: masked, no, yes, then the actions.
const MASKED: usize = 0;
const NO: usize = 1;
const YES: usize = 2;
const FIRST_ACTION: usize = 3;

/// The decoder.
pub struct DiffusionDecoder {
    model: OnnxModel,
    width: usize,
    /// Slot embeddings: a row for each slot.
    slot: Vec<f32>,
    /// Value embeddings: a row for each value.
    value: Vec<f32>,
    harm: OutputLayer,
    action: OutputLayer,
}

/// A linear layer with an output for each row of its weight.
struct OutputLayer {
    weight: Vec<f32>,
    bias: Vec<f32>,
}

/// The decoder's output.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Denoised {
    /// The log-odds of each harm.
    pub harms: [f32; HARMS],
    /// A logit for each action.
    pub action: [f32; ACTIONS],
}

impl DiffusionDecoder {
    /// Loads the decoder of a weight file.
    ///
    /// # Errors
    /// A tensor that is missing or of the wrong type or shape, or a graph that the runtime refuses.
    pub fn load(runtime: &Runtime, weights: &Weights) -> Result<Self, EngineError> {
        let width = weights.floats("decoder.norm.bias").map_err(|error| weights.fault(error))?.1.len();
        let model = weights
            .load_graph(runtime, "decoder", move |weights| decoder_graph::build(weights, SLOTS, width))?;
        Self::with_model(model, weights, width).map_err(|error| weights.fault(error))
    }

    fn with_model(model: OnnxModel, weights: &Weights, width: usize) -> Result<Self, WeightError> {
        Ok(Self {
            model,
            width,
            slot: weights.vector("decoder.slot.weight", SLOTS * width)?,
            value: weights.vector("decoder.value.weight", (FIRST_ACTION + ACTIONS) * width)?,
            harm: OutputLayer::read(weights, "decoder.harm", HARMS, width)?,
            action: OutputLayer::read(weights, "decoder.action", ACTIONS, width)?,
        })
    }

    /// Unmasks the slots of each sequence in `steps` passes, on the calling thread. `hidden` is the backbone's output
    /// for `batch`.
    ///
    /// # Errors
    /// A failure of the runtime.
    pub fn denoise(
        &self,
        hidden: &Hidden,
        batch: &[&Sequence],
        steps: usize,
    ) -> Result<Vec<Denoised>, EngineError> {
        let mut mask = vec![0.0; batch.len() * hidden.padded_len];
        mask.chunks_exact_mut(hidden.padded_len).zip(batch).for_each(|(row, sequence)| sequence.mask(0, row));
        let mut all = vec![DenoisingState::default(); batch.len()];
        for step in 0..steps.max(1) {
            let states = self.forward(hidden, &mask, &all)?;
            for (state, states) in all.iter_mut().zip(states.chunks_exact(SLOTS * self.width)) {
                state.unmask(&self.logits(states), steps.max(1) - step);
            }
        }
        Ok(all.into_iter().map(|state| state.denoised).collect())
    }

    /// Computes the hidden states of all slots, given the slots that are already unmasked.
    fn forward(
        &self,
        hidden: &Hidden,
        mask: &[f32],
        all: &[DenoisingState],
    ) -> Result<Vec<f32>, EngineError> {
        let width = self.width;
        let mut slots = Vec::with_capacity(all.len() * SLOTS * width);
        for state in all {
            for (row, value) in self.slot.chunks_exact(width).zip(state.values) {
                let value = &self.value[value * width..][..width];
                slots.extend(row.iter().zip(value).map(|(slot, value)| slot + value));
            }
        }
        let outputs = self.model.run(&[
            Input::f32("hidden", &[all.len(), hidden.padded_len, hidden.width], &hidden.values),
            Input::f32("mask", &[all.len(), 1, 1, hidden.padded_len], mask),
            Input::f32("slots", &[all.len(), SLOTS, width], &slots),
        ])?;
        match outputs.into_iter().next().map(|tensor| tensor.data) {
            Some(states) if states.len() == slots.len() && states.iter().all(|s| s.is_finite()) => Ok(states),
            _ => Err(EngineError("the decoder did not return a number for each slot".into())),
        }
    }

    fn logits(&self, states: &[f32]) -> Denoised {
        let (harms, action) = states.split_at(HARMS * self.width);
        Denoised {
            harms: std::array::from_fn(|n| self.harm.output(n, &harms[n * self.width..][..self.width])),
            action: std::array::from_fn(|n| self.action.output(n, action)),
        }
    }
}

impl OutputLayer {
    fn read(weights: &Weights, name: &str, outputs: usize, width: usize) -> Result<Self, WeightError> {
        Ok(Self {
            weight: weights.vector(&format!("{name}.weight"), outputs * width)?,
            bias: weights.vector(&format!("{name}.bias"), outputs)?,
        })
    }

    fn output(&self, n: usize, state: &[f32]) -> f32 {
        let row = &self.weight[n * state.len()..][..state.len()];
        row.iter().zip(state).map(|(a, b)| a * b).sum::<f32>() + self.bias[n]
    }
}

/// The slots of one sequence between two passes.
#[derive(Clone, Copy, Debug)]
struct DenoisingState {
    /// Rows of the value table.
    values: [usize; SLOTS],
    denoised: Denoised,
}

impl Default for DenoisingState {
    fn default() -> Self {
        Self { values: [MASKED; SLOTS], denoised: Denoised { harms: [0.0; HARMS], action: [0.0; ACTIONS] } }
    }
}

impl DenoisingState {
    /// Unmasks the most confident of the masked slots; as many as spread them evenly over the remaining passes.
    fn unmask(&mut self, logits: &Denoised, passes_left: usize) {
        let argmax =
            (0..ACTIONS).fold(0, |best, n| if logits.action[n] > logits.action[best] { n } else { best });
        let confidences = confidences(logits, logits.action[argmax]);
        let mut masked: Vec<usize> = (0..SLOTS).filter(|slot| self.values[*slot] == MASKED).collect();
        // A stable sort: ties go to the first slot.
        masked.sort_by(|a, b| confidences[*b].total_cmp(&confidences[*a]));
        let share = masked.len().div_ceil(passes_left);
        for slot in masked.into_iter().take(share) {
            match logits.harms.get(slot) {
                Some(logit) => {
                    self.values[slot] = if *logit > 0.0 { YES } else { NO };
                    self.denoised.harms[slot] = *logit;
                }
                None => {
                    self.values[slot] = FIRST_ACTION + argmax;
                    self.denoised.action = logits.action;
                }
            }
        }
    }
}

/// The probability of each slot's most probable value. `top` is the highest logit of the action.
fn confidences(logits: &Denoised, top: f32) -> [f32; SLOTS] {
    std::array::from_fn(|slot| match logits.harms.get(slot) {
        Some(logit) => 1.0 / (1.0 + (-logit.abs()).exp()),
        None => 1.0 / logits.action.iter().map(|logit| (logit - top).exp()).sum::<f32>(),
    })
}

impl std::fmt::Debug for DiffusionDecoder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DiffusionDecoder").field("model", &self.model).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(steps: usize, logits: &Denoised) -> Vec<Vec<usize>> {
        let mut state = DenoisingState::default();
        (0..steps)
            .map(|step| {
                let before = state.values;
                state.unmask(logits, steps - step);
                (0..SLOTS).filter(|slot| before[*slot] != state.values[*slot]).collect()
            })
            .collect()
    }

    #[test]
    fn the_surest_slots_are_settled_first_in_even_shares() {
        let logits =
            Denoised { harms: [0.1, -8.0, 0.2, -7.0, 0.3, 6.0, 0.4, -5.0], action: [9.0, 0.0, 0.0, 0.0] };
        assert_eq!(order(1, &logits), [(0..SLOTS).collect::<Vec<_>>()]);
        assert_eq!(order(2, &logits), [vec![1, 3, 5, 7, 8], vec![0, 2, 4, 6]]);
        assert_eq!(order(4, &logits), [vec![1, 3, 8], vec![5, 7], vec![4, 6], vec![0, 2]]);
    }

    #[test]
    fn of_equals_the_first_slot_and_the_first_action_win() {
        let logits = Denoised { harms: [0.0; HARMS], action: [0.0; ACTIONS] };
        let mut state = DenoisingState::default();
        state.unmask(&logits, 2);
        assert_eq!(state.values, [NO, NO, NO, NO, NO, MASKED, MASKED, MASKED, MASKED]);
        state.unmask(&logits, 1);
        assert_eq!(state.values[HARMS], FIRST_ACTION);
    }
}
