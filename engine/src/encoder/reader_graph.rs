//! The ONNX graphs of a [`StateReader`](super::StateReader). The same as `training/decision/multilingual/network.py`.

use super::{
    error::WeightError,
    layers::{concatenated, scaled},
    net::{Attention, GraphBuilder, HEAD_WIDTH, Quantised},
    weights::{LinearLayer, Weights},
};
use crate::onnx::{Dim, Graph};

/// The epsilon of the norms of the head's inputs, which is PyTorch's.
const HEAD_EPSILON: f32 = 1e-5;

/// The sizes of a network.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReaderShape {
    pub(super) width: usize,
    pub(super) layers: usize,
    /// The first layer in which a question reads the state.
    pub(super) split: usize,
}

/// A layer's output, and its own keys and values.
struct LayerOutput {
    hidden: String,
    keys: String,
    values: String,
}

/// The graph that encodes texts, each alone. Inputs: `embeddings` `[batch, tokens, width]`, the sums of word and
/// position embeddings; `mask` `[batch, 1, 1, tokens]`, which is added to the attention scores; `shares` `[batch, 1,
/// tokens]`, the tokens' shares of the mean. Outputs: `pooled` `[batch, 1, width]`, the mean of the last layer;
/// `middle` `[batch, tokens, width]`, the input of layer `split`; and from that layer on its `keys` and `values`,
/// `[batch, heads, tokens, HEAD_WIDTH]` each, one after the other.
pub(super) fn encoder(weights: &Weights, shape: ReaderShape) -> Result<Graph, WeightError> {
    let width = shape.width;
    let mut net = GraphBuilder::new("texts");
    let embeddings = net.input("embeddings", of_tokens("tokens", width));
    let mask = net.input("mask", vec![Dim::Free("batch"), Dim::Fixed(1), Dim::Fixed(1), Dim::Free("tokens")]);
    let shares = net.input("shares", vec![Dim::Free("batch"), Dim::Fixed(1), Dim::Free("tokens")]);
    let mut hidden = norm(&mut net, weights, "embeddings.LayerNorm", &embeddings, width)?;
    let mut middle = hidden.clone();
    let mut read = Vec::new();
    for layer in 0..shape.layers {
        if layer == shape.split {
            middle.clone_from(&hidden);
        }
        let output = LayerGraph { weights, layer, width }.add(&mut net, &hidden, &mask, None)?;
        hidden = output.hidden;
        if layer >= shape.split {
            read.extend([output.keys, output.values]);
        }
    }
    let pooled = net.op("MatMul", &[&shares, &hidden]);
    net.output(&pooled, "pooled", vec![Dim::Free("batch"), Dim::Fixed(1), Dim::Fixed(width)]);
    net.output(&middle, "middle", of_tokens("tokens", width));
    for (n, value) in read.iter().enumerate() {
        net.output(value, &read_name(n), of_heads("tokens", width));
    }
    Ok(net.finish())
}

/// The graph in which questions and their options read states. Inputs: `joint` `[batch, tokens, width]`, the tokens of
/// a question and its options as they enter layer `split`; `mask` `[batch, 1, tokens, tokens + state]`; the state's
/// keys and values of each layer, as [`encoder`] gives them; `options` and `asked` `[batch, options, tokens]`, the
/// tokens' shares of each option's mean and of the question's; unit vectors `state` and `question` `[batch, 1, width]`,
/// and `option` `[batch, options, width]`. Output: `scores` `[batch, options, 1]`.
pub(super) fn join(weights: &Weights, shape: ReaderShape) -> Result<Graph, WeightError> {
    let width = shape.width;
    let mut net = GraphBuilder::new("questions");
    let mut hidden = net.input("joint", of_tokens("tokens", width));
    let mask =
        net.input("mask", vec![Dim::Free("batch"), Dim::Fixed(1), Dim::Free("tokens"), Dim::Free("all")]);
    for (n, layer) in (shape.split..shape.layers).enumerate() {
        let keys = net.input(&read_name(2 * n), of_heads("state", width));
        let values = net.input(&read_name(2 * n + 1), of_heads("state", width));
        let graph = LayerGraph { weights, layer, width };
        hidden = graph.add(&mut net, &hidden, &mask, Some((&keys, &values)))?.hidden;
    }
    let shares = vec![Dim::Free("batch"), Dim::Free("options"), Dim::Free("tokens")];
    let options = net.input("options", shares.clone());
    let asked = net.input("asked", shares);
    let one = vec![Dim::Free("batch"), Dim::Fixed(1), Dim::Fixed(width)];
    let state = net.input("state", one.clone());
    let question = net.input("question", one);
    let option = net.input("option", of_tokens("options", width));
    let options = net.op("MatMul", &[&options, &hidden]);
    let asked = net.op("MatMul", &[&asked, &hidden]);
    let both = net.op("Mul", &[&options, &asked]);
    let of_state = net.op("Mul", &[&option, &state]);
    let of_question = net.op("Mul", &[&option, &question]);
    let ones = vec![1.0; width];
    let zeros = vec![0.0; width];
    let parts = [options, asked, both, of_state, of_question]
        .map(|part| net.layer_norm_within(&part, &ones, &zeros, HEAD_EPSILON));
    let features = net.concatenate(&parts);
    let inner = net.linear(&Quantised::plain(&features), &weights.linear("score.dense")?);
    let inner = net.gelu(&inner);
    let scores = net.linear(&Quantised::plain(&inner), &weights.linear("score.out")?);
    net.output(&scores, "scores", of_tokens("options", 1));
    Ok(net.finish())
}

/// The name of the `n`-th of the keys and values, which take turns.
pub(super) fn read_name(n: usize) -> String {
    let part = if n.is_multiple_of(2) { "keys" } else { "values" };
    format!("{part}.{}", n / 2)
}

/// A layer of the network.
struct LayerGraph<'a> {
    weights: &'a Weights,
    layer: usize,
    width: usize,
}

impl LayerGraph<'_> {
    /// Adds the layer. `state`: keys and values that are read beside the layer's own.
    fn add(
        &self,
        net: &mut GraphBuilder,
        x: &str,
        mask: &str,
        state: Option<(&String, &String)>,
    ) -> Result<LayerOutput, WeightError> {
        let bytes = self.rounded(net, x, "hidden", self.width)?;
        let queries = scaled(self.linear("attention.self.query")?);
        let keys = self.linear("attention.self.key")?;
        let values = self.linear("attention.self.value")?;
        let all = net.linear(&bytes, &concatenated(queries, [keys, values])?);
        let [queries, keys, values] = net.heads(&all);
        let seen = match state {
            None => net.attend(&Attention { queries: &queries, keys: &keys, values: &values, mask }),
            Some((more_keys, more_values)) => {
                let keys = net.append_tokens(&keys, more_keys);
                let values = net.append_tokens(&values, more_values);
                net.attend(&Attention { queries: &queries, keys: &keys, values: &values, mask })
            }
        };
        let bytes = self.rounded(net, &seen, "attended", self.width)?;
        let seen = net.linear(&bytes, &self.linear("attention.output.dense")?);
        let sum = net.op("Sum", &[&seen, x]);
        let x = norm(net, self.weights, &self.name("attention.output.LayerNorm"), &sum, self.width)?;
        let bytes = self.rounded(net, &x, "normed", self.width)?;
        let inner = net.linear(&bytes, &self.linear("intermediate.dense")?);
        let inner = net.gelu(&inner);
        let bytes = self.rounded(net, &inner, "inner", 4 * self.width)?;
        let outer = net.linear(&bytes, &self.linear("output.dense")?);
        let sum = net.op("Sum", &[&outer, &x]);
        let hidden = norm(net, self.weights, &self.name("output.LayerNorm"), &sum, self.width)?;
        Ok(LayerOutput { hidden, keys, values })
    }

    fn name(&self, part: &str) -> String {
        format!("encoder.layer.{}.{part}", self.layer)
    }

    fn linear(&self, part: &str) -> Result<LinearLayer, WeightError> {
        self.weights.linear(&self.name(part))
    }

    fn rounded(
        &self,
        net: &mut GraphBuilder,
        x: &str,
        part: &str,
        width: usize,
    ) -> Result<Quantised, WeightError> {
        let divisor = self.weights.vector(&self.name(&format!("{part}.divisor")), width)?;
        Ok(net.quantise_divided(x, &divisor))
    }
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
    Ok(net.layer_norm(x, &weight, &bias))
}

fn of_tokens(tokens: &'static str, width: usize) -> Vec<Dim> {
    vec![Dim::Free("batch"), Dim::Free(tokens), Dim::Fixed(width)]
}

fn of_heads(tokens: &'static str, width: usize) -> Vec<Dim> {
    vec![Dim::Free("batch"), Dim::Fixed(width / HEAD_WIDTH), Dim::Free(tokens), Dim::Fixed(HEAD_WIDTH)]
}
