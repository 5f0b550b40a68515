//! A masked diffusion decoder on a backbone. Its output slots begin masked, attend to each other and to the message,
//! and are unmasked in several passes, the most confident first.
//!
//! The architecture, the tensors and the order of unmasking are those of `training/hybrid/README.md`.

use ports::EngineError;

use super::{
    backbone::Hidden,
    layers,
    net::{GraphBuilder, Quantised},
    sequence::Sequence,
    weights::{Linear, Matrix, Weights},
};
use crate::{
    onnx::{Dim, Graph},
    runtime::{Input, Model, Runtime},
};

/// Binary slots, one for each harm.
pub const HARMS: usize = 8;
/// Values of the last slot, the action.
pub const ACTIONS: usize = 4;
const SLOTS: usize = HARMS + 1;
/// Transformer blocks of the decoder.
const BLOCKS: usize = 2;
/// PyTorch's epsilon.
const EPSILON: f32 = 1e-5;
/// Rows of the value table: masked, no, yes, then the actions.
const MASKED: usize = 0;
const NO: usize = 1;
const YES: usize = 2;
const FIRST_ACTION: usize = 3;

pub struct DiffusionDecoder {
    model: Model,
    width: usize,
    /// Slot embeddings: a row for each slot.
    slot: Vec<f32>,
    value: Vec<f32>,
    harm: (Vec<f32>, Vec<f32>),
    action: (Vec<f32>, Vec<f32>),
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
    pub fn load(runtime: &Runtime, weights: &Weights<'_>) -> Result<Self, EngineError> {
        let fault = |why: String| EngineError(format!("{} {}: {why}", weights.name, weights.version));
        let width = weights.floats("decoder.norm.bias").map_err(fault)?.1.len();
        let vector = |name: &str, length| weights.vector(name, length).map_err(fault);
        let model = runtime.load_bytes(
            &format!("{}'s decoder", weights.name),
            graph(weights, width).map_err(fault)?.to_bytes(),
        )?;
        Ok(Self {
            model,
            width,
            slot: vector("decoder.slot.weight", SLOTS * width)?,
            value: vector("decoder.value.weight", (FIRST_ACTION + ACTIONS) * width)?,
            harm: (vector("decoder.harm.weight", HARMS * width)?, vector("decoder.harm.bias", HARMS)?),
            action: (
                vector("decoder.action.weight", ACTIONS * width)?,
                vector("decoder.action.bias", ACTIONS)?,
            ),
        })
    }

    /// Unmasks the slots of each sequence in `steps` passes, on the calling thread. `batch` is the batch that gave
    /// `hidden`.
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
        let states = outputs.into_iter().next().map(|tensor| tensor.data);
        let states =
            states.filter(|states| states.len() == slots.len() && states.iter().all(|s| s.is_finite()));
        states.ok_or_else(|| EngineError("the decoder gave no number for a slot".into()))
    }

    fn logits(&self, states: &[f32]) -> Denoised {
        let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
        let row = |table: &(Vec<f32>, Vec<f32>), n: usize, state: &[f32]| {
            dot(&table.0[n * self.width..][..self.width], state) + table.1[n]
        };
        let state = |n: usize| &states[n * self.width..][..self.width];
        Denoised {
            harms: std::array::from_fn(|n| row(&self.harm, n, state(n))),
            action: std::array::from_fn(|n| row(&self.action, n, state(HARMS))),
        }
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
        let top = logits.action[argmax];
        let action = 1.0 / logits.action.iter().map(|logit| (logit - top).exp()).sum::<f32>();
        let confidence = |slot: usize| match logits.harms.get(slot) {
            Some(logit) => 1.0 / (1.0 + (-logit.abs()).exp()),
            None => action,
        };
        let mut masked: Vec<usize> = (0..SLOTS).filter(|slot| self.values[*slot] == MASKED).collect();
        // A stable sort: ties go to the first slot.
        masked.sort_by(|a, b| confidence(*b).total_cmp(&confidence(*a)));
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

/// The graph of one pass. Inputs: `hidden` `[batch, tokens, width]`, `mask` `[batch, 1, 1, tokens]` and `slots`
/// `[batch, 9, own]`. Output: `states`, of the shape of `slots`.
fn graph(weights: &Weights<'_>, own: usize) -> Result<Graph, String> {
    let memory = weights.linear("decoder.memory")?;
    let mut net = GraphBuilder::new("decoder");
    let of = |rows, width| vec![Dim::Free("batch"), rows, Dim::Fixed(width)];
    let hidden = net.input("hidden", of(Dim::Free("tokens"), memory.inputs));
    let mask = net.input("mask", vec![Dim::Free("batch"), Dim::Fixed(1), Dim::Fixed(1), Dim::Free("tokens")]);
    let mut x = net.input("slots", of(Dim::Fixed(SLOTS), own));
    let open = net.empty_mask();
    let memory = net.linear(&Quantised::plain(&hidden), &memory);
    let memory = norm(&mut net, weights, "decoder.memory_norm", &memory, own)?;
    for block in 0..BLOCKS {
        let name = |part: &str| format!("decoder.blocks.{block}.{part}");
        let part = |part: &str| weights.linear(&name(part));
        let seen = norm(&mut net, weights, &name("norm1"), &x, own)?;
        let all = [layers::scaled(part("slots.query")?), part("slots.key")?, part("slots.value")?];
        let all = net.linear(&Quantised::plain(&seen), &layers::concatenated(all)?);
        let [queries, keys, values] = net.heads(&all);
        let seen = net.attend([&queries, &keys, &values], &open);
        x = add_linear(&mut net, &x, &seen, &part("slots.out")?);
        let seen = norm(&mut net, weights, &name("norm2"), &x, own)?;
        let queries = net.linear(&Quantised::plain(&seen), &layers::scaled(part("message.query")?));
        let [queries] = net.heads(&queries);
        let both = layers::concatenated([part("message.key")?, part("message.value")?])?;
        let both = net.linear(&Quantised::plain(&memory), &both);
        let [keys, values] = net.heads(&both);
        let seen = net.attend([&queries, &keys, &values], &mask);
        x = add_linear(&mut net, &x, &seen, &part("message.out")?);
        let seen = norm(&mut net, weights, &name("norm3"), &x, own)?;
        let inner = net.linear(&Quantised::plain(&seen), &part("up")?);
        let inner = net.gelu(&inner);
        x = add_linear(&mut net, &x, &inner, &part("down")?);
    }
    let states = norm(&mut net, weights, "decoder.norm", &x, own)?;
    net.output(&states, "states", of(Dim::Fixed(SLOTS), own));
    Ok(net.finish())
}

/// `x + linear(seen)`.
fn add_linear(net: &mut GraphBuilder, x: &str, seen: &str, linear: &Linear) -> String {
    debug_assert!(matches!(linear.weight, Matrix::Plain(_)), "the decoder is plain");
    let more = net.linear(&Quantised::plain(seen), linear);
    net.op("Add", &[x, &more])
}

fn norm(
    net: &mut GraphBuilder,
    weights: &Weights<'_>,
    name: &str,
    x: &str,
    width: usize,
) -> Result<String, String> {
    let part = |part: &str| weights.vector(&format!("{name}.{part}"), width);
    Ok(net.layer_norm_within(x, &part("weight")?, &part("bias")?, EPSILON))
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
