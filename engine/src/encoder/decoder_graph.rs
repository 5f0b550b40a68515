//! Builds the ONNX graph of a masked diffusion decoder.

use super::{
    error::WeightError,
    layers,
    net::{Attention, GraphBuilder, Quantised},
    weights::{LinearLayer, Matrix, Weights},
};
use crate::onnx::{Dim, Graph};

/// Transformer blocks of the decoder.
const BLOCKS: usize = 2;
/// PyTorch's epsilon.
const EPSILON: f32 = 1e-5;

/// The graph of one pass. Inputs: `hidden` `[batch, tokens, width]`, `mask` `[batch, 1, 1, tokens]` and `slots`
/// `[batch, slots, own]`, where `own` is the decoder's own width. Output: `states`, of the shape of `slots`.
pub(super) fn build(weights: &Weights, slots: usize, own: usize) -> Result<Graph, WeightError> {
    let memory = weights.linear("decoder.memory")?;
    let mut net = GraphBuilder::new("decoder");
    let hidden =
        net.input("hidden", vec![Dim::Free("batch"), Dim::Free("tokens"), Dim::Fixed(memory.inputs)]);
    let mask = net.input("mask", vec![Dim::Free("batch"), Dim::Fixed(1), Dim::Fixed(1), Dim::Free("tokens")]);
    let shape = vec![Dim::Free("batch"), Dim::Fixed(slots), Dim::Fixed(own)];
    let mut x = net.input("slots", shape.clone());
    let open = net.empty_mask();
    let memory = net.linear(&Quantised::plain(&hidden), &memory);
    let memory = norm(&mut net, weights, "decoder.memory_norm", &memory, own)?;
    for number in 0..BLOCKS {
        let block = Block { weights, name: format!("decoder.blocks.{number}"), width: own };
        x = block.attend_to_slots(&mut net, &x, &open)?;
        x = block.attend_to_message(&mut net, &x, &memory, &mask)?;
        x = block.feed_forward(&mut net, &x)?;
    }
    let states = norm(&mut net, weights, "decoder.norm", &x, own)?;
    net.output(&states, "states", shape);
    Ok(net.finish())
}

/// A transformer block.
struct Block<'a> {
    weights: &'a Weights,
    /// The prefix of its tensors' names.
    name: String,
    width: usize,
}

impl Block<'_> {
    fn attend_to_slots(&self, net: &mut GraphBuilder, x: &str, mask: &str) -> Result<String, WeightError> {
        let seen = self.norm(net, "norm1", x)?;
        let queries = layers::scaled(self.linear("slots.query")?);
        let all = layers::concatenated(queries, [self.linear("slots.key")?, self.linear("slots.value")?])?;
        let all = net.linear(&Quantised::plain(&seen), &all);
        let [queries, keys, values] = net.heads(&all);
        let seen = net.attend(&Attention { queries: &queries, keys: &keys, values: &values, mask });
        Ok(add_linear(net, x, &seen, &self.linear("slots.out")?))
    }

    fn attend_to_message(
        &self,
        net: &mut GraphBuilder,
        x: &str,
        memory: &str,
        mask: &str,
    ) -> Result<String, WeightError> {
        let seen = self.norm(net, "norm2", x)?;
        let queries = layers::scaled(self.linear("message.query")?);
        let queries = net.linear(&Quantised::plain(&seen), &queries);
        let [queries] = net.heads(&queries);
        let both = layers::concatenated(self.linear("message.key")?, [self.linear("message.value")?])?;
        let both = net.linear(&Quantised::plain(memory), &both);
        let [keys, values] = net.heads(&both);
        let seen = net.attend(&Attention { queries: &queries, keys: &keys, values: &values, mask });
        Ok(add_linear(net, x, &seen, &self.linear("message.out")?))
    }

    fn feed_forward(&self, net: &mut GraphBuilder, x: &str) -> Result<String, WeightError> {
        let seen = self.norm(net, "norm3", x)?;
        let inner = net.linear(&Quantised::plain(&seen), &self.linear("up")?);
        let inner = net.gelu(&inner);
        Ok(add_linear(net, x, &inner, &self.linear("down")?))
    }

    fn linear(&self, part: &str) -> Result<LinearLayer, WeightError> {
        self.weights.linear(&format!("{}.{part}", self.name))
    }

    fn norm(&self, net: &mut GraphBuilder, part: &str, x: &str) -> Result<String, WeightError> {
        norm(net, self.weights, &format!("{}.{part}", self.name), x, self.width)
    }
}

/// `x + linear(seen)`.
fn add_linear(net: &mut GraphBuilder, x: &str, seen: &str, linear: &LinearLayer) -> String {
    debug_assert!(matches!(linear.weight, Matrix::Plain(_)), "the decoder is not quantised");
    let more = net.linear(&Quantised::plain(seen), linear);
    net.op("Add", &[x, &more])
}

fn norm(
    net: &mut GraphBuilder,
    weights: &Weights,
    name: &str,
    x: &str,
    width: usize,
) -> Result<String, WeightError> {
    let weight = weights.vector(&format!("{name}.weight"), width)?;
    let bias = weights.vector(&format!("{name}.bias"), width)?;
    Ok(net.layer_norm_within(x, &weight, &bias, EPSILON))
}
