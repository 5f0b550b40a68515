//! Builds the ONNX graphs of a backbone and of a head from BERT's layers in a weight file.

use super::{
    error::WeightError,
    net::{Attention, GraphBuilder, HEAD_WIDTH, Quantised},
    weights::{LinearLayer, Matrix, Weights},
};
use crate::onnx::{Dim, Graph};

/// The lowest layers whose hidden states become features, beside the embeddings. They represent the words; the highest
/// layers represent answers to the question, from which logistic regression learns much less (`bench/README.md`).
const FEATURE_LAYERS: usize = 2;

/// The graph of the first `layers` layers. Inputs: `embeddings` `[batch, tokens, width]`, the sums of word, position
/// and segment embeddings; `mask` `[batch, 1, rows, tokens]`, which is added to the attention scores, with a row for
/// each token or one for all; and `shares` `[batch, 1, tokens]`, the tokens' shares of the features. Outputs: `hidden`,
/// of the shape of `embeddings`, and `features` `[batch, 1, features]`, the sums weighted by `shares` of the embeddings
/// and of the lowest layers' hidden states, side by side.
pub(super) fn backbone(weights: &Weights, layers: usize) -> Result<Graph, WeightError> {
    let width = width(weights)?;
    let mut net = GraphBuilder::new("backbone");
    let embeddings = net.input("embeddings", tokens_shape("tokens", width));
    let mask = net.input("mask", mask_shape());
    let shares = net.input("shares", vec![Dim::Free("batch"), Dim::Fixed(1), Dim::Free("tokens")]);
    let mut hidden = norm(&mut net, weights, "embeddings.LayerNorm", &embeddings)?;
    let mut pooled = vec![net.op("MatMul", &[&shares, &hidden])];
    for layer in 0..layers {
        let bytes = net.quantise(&hidden);
        let queries = scaled(self_attention(weights, layer, "query")?);
        let keys = self_attention(weights, layer, "key")?;
        let values = self_attention(weights, layer, "value")?;
        let all = net.linear(&bytes, &concatenated(queries, [keys, values])?);
        let [queries, keys, values] = net.heads(&all);
        let seen = net.attend(&Attention { queries: &queries, keys: &keys, values: &values, mask: &mask });
        hidden = after_attention(&mut net, weights, layer, &hidden, &seen)?;
        if layer < FEATURE_LAYERS {
            pooled.push(net.op("MatMul", &[&shares, &hidden]));
        }
    }
    let features = net.concatenate(&pooled);
    net.output(&hidden, "hidden", tokens_shape("tokens", width));
    let width = width * pooled.len();
    net.output(&features, "features", vec![Dim::Free("batch"), Dim::Fixed(1), Dim::Fixed(width)]);
    Ok(net.finish())
}

/// The graph of layer `layer`, computed at the markers only, and of the scoring layers. Inputs: `hidden` `[batch,
/// tokens, width]`, `mask` as for the backbone, and `queries` `[batch, markers, width]`, the markers' rows of
/// `hidden`. Output: `logits` `[batch, markers, 1]`.
pub(super) fn head(weights: &Weights, layer: usize) -> Result<Graph, WeightError> {
    let width = width(weights)?;
    let mut net = GraphBuilder::new("head");
    let hidden = net.input("hidden", tokens_shape("tokens", width));
    let mask = net.input("mask", mask_shape());
    let markers = net.input("queries", tokens_shape("markers", width));
    let bytes = net.quantise(&hidden);
    let keys = self_attention(weights, layer, "key")?;
    let values = self_attention(weights, layer, "value")?;
    let both = net.linear(&bytes, &concatenated(keys, [values])?);
    let [keys, values] = net.heads(&both);
    let bytes = net.quantise(&markers);
    let queries = net.linear(&bytes, &scaled(self_attention(weights, layer, "query")?));
    let [queries] = net.heads(&queries);
    let seen = net.attend(&Attention { queries: &queries, keys: &keys, values: &values, mask: &mask });
    let last = after_attention(&mut net, weights, layer, &markers, &seen)?;
    let last = dense(&mut net, weights, "score.dense", &last)?;
    let last = net.gelu(&last);
    let logits = dense(&mut net, weights, "score.out", &last)?;
    net.output(&logits, "logits", tokens_shape("markers", 1));
    Ok(net.finish())
}

/// The size of a token's hidden state.
pub(super) fn width(weights: &Weights) -> Result<usize, WeightError> {
    let names = ["embeddings.LayerNorm.weight", "score.dense.bias"];
    let name = names.into_iter().find(|name| weights.has(name)).ok_or(WeightError::NoWidth)?;
    let width = weights.floats(name)?.1.len();
    (width > 0 && width.is_multiple_of(HEAD_WIDTH)).then_some(width).ok_or(WeightError::Width(width))
}

fn tokens_shape(tokens: &'static str, width: usize) -> Vec<Dim> {
    vec![Dim::Free("batch"), Dim::Free(tokens), Dim::Fixed(width)]
}

fn mask_shape() -> Vec<Dim> {
    vec![Dim::Free("batch"), Dim::Fixed(1), Dim::Free("rows"), Dim::Free("tokens")]
}

fn self_attention(weights: &Weights, layer: usize, part: &str) -> Result<LinearLayer, WeightError> {
    weights.linear(&format!("encoder.layer.{layer}.attention.self.{part}"))
}

/// The rest of a layer after attention: its projection, the feed-forward layers, and both residual additions and
/// norms.
fn after_attention(
    net: &mut GraphBuilder,
    weights: &Weights,
    layer: usize,
    x: &str,
    seen: &str,
) -> Result<String, WeightError> {
    let layer = format!("encoder.layer.{layer}");
    let seen = dense(net, weights, &format!("{layer}.attention.output.dense"), seen)?;
    let sum = net.op("Sum", &[&seen, x]);
    let x = norm(net, weights, &format!("{layer}.attention.output.LayerNorm"), &sum)?;
    let inner = dense(net, weights, &format!("{layer}.intermediate.dense"), &x)?;
    let inner = net.gelu(&inner);
    let outer = dense(net, weights, &format!("{layer}.output.dense"), &inner)?;
    let sum = net.op("Sum", &[&outer, &x]);
    norm(net, weights, &format!("{layer}.output.LayerNorm"), &sum)
}

fn dense(net: &mut GraphBuilder, weights: &Weights, name: &str, x: &str) -> Result<String, WeightError> {
    let linear = weights.linear(name)?;
    let x = match linear.weight {
        Matrix::Plain(_) => Quantised::plain(x),
        Matrix::Quantised(..) => net.quantise(x),
    };
    Ok(net.linear(&x, &linear))
}

fn norm(net: &mut GraphBuilder, weights: &Weights, name: &str, x: &str) -> Result<String, WeightError> {
    let width = width(weights)?;
    let weight = weights.vector(&format!("{name}.weight"), width)?;
    let bias = weights.vector(&format!("{name}.bias"), width)?;
    Ok(net.layer_norm(x, &weight, &bias))
}

/// Scales the query projection by the root of an attention head's width, so that the graph need not.
pub(super) fn scaled(mut queries: LinearLayer) -> LinearLayer {
    match &mut queries.weight {
        Matrix::Plain(weight) => scale(weight),
        Matrix::Quantised(_, scales) => scale(scales),
    }
    scale(&mut queries.bias);
    queries
}

fn scale(values: &mut [f32]) {
    values.iter_mut().for_each(|value| *value /= (HEAD_WIDTH as f32).sqrt());
}

/// Concatenates linear layers of the same input into one, which gives their outputs side by side.
pub(super) fn concatenated<const MORE: usize>(
    first: LinearLayer,
    others: [LinearLayer; MORE],
) -> Result<LinearLayer, WeightError> {
    let mut all = first;
    for part in others {
        match (&mut all.weight, part.weight) {
            (Matrix::Plain(weight), Matrix::Plain(more)) => weight.extend(more),
            (Matrix::Quantised(weight, scale), Matrix::Quantised(more, scales)) => {
                weight.extend(more);
                scale.extend(scales);
            }
            _ => return Err(WeightError::MixedAttention),
        }
        all.outputs += part.outputs;
        all.bias.extend(part.bias);
    }
    Ok(all)
}
