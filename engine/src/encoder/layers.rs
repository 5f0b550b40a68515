//! Builds the ONNX graphs of a backbone and of a head from BERT's layers in a weight file.

use super::net::{GraphBuilder, HEAD_WIDTH, Quantised};
use super::weights::{Linear, Matrix, Weights};
use crate::onnx::{Dim, Graph};

/// Layers whose hidden states are features, beside the embeddings. Words lie open in the lowest layers. The highest turn
/// them into answers to the question, and logistic regression on these learns much less (`bench/README.md`).
const FEATURE_LAYERS: usize = 2;

/// The graph of the first `layers` layers. Inputs: `embeddings` `[batch, tokens, width]`, the sums of word, position
/// and segment embeddings; `mask` `[batch, 1, rows, tokens]`, which is added to the attention scores, with a row for each
/// token or one for all; and `shares` `[batch, 1, tokens]`, the tokens' shares of the features. Outputs: `hidden`, of the
/// shape of `embeddings`, and `features` `[batch, 1, features]`, the sums by `shares` of the embeddings and of the lowest
/// layers' hidden states, side by side.
pub(super) fn backbone(weights: &Weights<'_>, layers: usize) -> Result<Graph, String> {
    let width = width(weights)?;
    let mut net = GraphBuilder::new("backbone");
    let shape = || vec![Dim::Free("batch"), Dim::Free("tokens"), Dim::Fixed(width)];
    let embeddings = net.input("embeddings", shape());
    let mask = net.input("mask", mask_shape());
    let shares = net.input("shares", vec![Dim::Free("batch"), Dim::Fixed(1), Dim::Free("tokens")]);
    let mut hidden = norm(&mut net, weights, "embeddings.LayerNorm", &embeddings)?;
    let mut pooled = vec![net.op("MatMul", &[&shares, &hidden])];
    for layer in 0..layers {
        let part = |name: &str| weights.linear(&format!("encoder.layer.{layer}.attention.self.{name}"));
        let bytes = net.quantise(&hidden);
        let all = concatenated([scaled(part("query")?), part("key")?, part("value")?])?;
        let all = net.linear(&bytes, &all);
        let [queries, keys, values] = net.heads(&all);
        let seen = net.attend([&queries, &keys, &values], &mask);
        hidden = after_attention(&mut net, weights, layer, &hidden, &seen)?;
        if layer < FEATURE_LAYERS {
            pooled.push(net.op("MatMul", &[&shares, &hidden]));
        }
    }
    let features = net.concatenate(&pooled);
    net.output(&hidden, "hidden", shape());
    net.output(
        &features,
        "features",
        vec![Dim::Free("batch"), Dim::Fixed(1), Dim::Fixed(width * pooled.len())],
    );
    Ok(net.finish())
}

/// The graph of layer `layer`, computed at the markers only, and of the scoring layers. Inputs: `hidden` `[batch,
/// tokens, width]`, `mask` as for the backbone, and `queries` `[batch, markers, width]`, the markers' rows of
/// `hidden`. Output: `logits` `[batch, markers, 1]`.
pub(super) fn head(weights: &Weights<'_>, layer: usize) -> Result<Graph, String> {
    let width = width(weights)?;
    let mut net = GraphBuilder::new("head");
    let of = |tokens, width| vec![Dim::Free("batch"), Dim::Free(tokens), Dim::Fixed(width)];
    let hidden = net.input("hidden", of("tokens", width));
    let mask = net.input("mask", mask_shape());
    let markers = net.input("queries", of("markers", width));
    let part = |name: &str| weights.linear(&format!("encoder.layer.{layer}.attention.self.{name}"));
    let bytes = net.quantise(&hidden);
    let both = net.linear(&bytes, &concatenated([part("key")?, part("value")?])?);
    let [keys, values] = net.heads(&both);
    let bytes = net.quantise(&markers);
    let queries = net.linear(&bytes, &scaled(part("query")?));
    let [queries] = net.heads(&queries);
    let seen = net.attend([&queries, &keys, &values], &mask);
    let last = after_attention(&mut net, weights, layer, &markers, &seen)?;
    let last = dense(&mut net, weights, "score.dense", &last)?;
    let last = net.gelu(&last);
    let logits = dense(&mut net, weights, "score.out", &last)?;
    net.output(&logits, "logits", of("markers", 1));
    Ok(net.finish())
}

/// The size of a token's hidden state.
pub(super) fn width(weights: &Weights<'_>) -> Result<usize, String> {
    let name = ["embeddings.LayerNorm.weight", "score.dense.bias"].into_iter().find(|name| weights.has(name));
    let width = weights.floats(name.ok_or("neither embeddings nor a score layers")?)?.1.len();
    (width > 0 && width.is_multiple_of(HEAD_WIDTH))
        .then_some(width)
        .ok_or_else(|| format!("a width of {width}"))
}

fn mask_shape() -> Vec<Dim> {
    vec![Dim::Free("batch"), Dim::Fixed(1), Dim::Free("rows"), Dim::Free("tokens")]
}

/// The rest of a layer after attention: its projection, the feed-forward layers, and both residual additions and
/// norms.
fn after_attention(
    net: &mut GraphBuilder,
    weights: &Weights<'_>,
    layer: usize,
    x: &str,
    seen: &str,
) -> Result<String, String> {
    let name = |part: &str| format!("encoder.layer.{layer}.{part}");
    let seen = dense(net, weights, &name("attention.output.dense"), seen)?;
    let sum = net.op("Sum", &[&seen, x]);
    let x = norm(net, weights, &name("attention.output.LayerNorm"), &sum)?;
    let inner = dense(net, weights, &name("intermediate.dense"), &x)?;
    let inner = net.gelu(&inner);
    let outer = dense(net, weights, &name("output.dense"), &inner)?;
    let sum = net.op("Sum", &[&outer, &x]);
    norm(net, weights, &name("output.LayerNorm"), &sum)
}

fn dense(net: &mut GraphBuilder, weights: &Weights<'_>, name: &str, x: &str) -> Result<String, String> {
    let linear = weights.linear(name)?;
    let x = match linear.weight {
        Matrix::Plain(_) => Quantised::plain(x),
        Matrix::Quantised(..) => net.quantise(x),
    };
    Ok(net.linear(&x, &linear))
}

fn norm(net: &mut GraphBuilder, weights: &Weights<'_>, name: &str, x: &str) -> Result<String, String> {
    let width = width(weights)?;
    let part = |part: &str| weights.vector(&format!("{name}.{part}"), width);
    Ok(net.layer_norm(x, &part("weight")?, &part("bias")?))
}

/// Scales the query projection by the root of an attention head's width, so that the graph need not.
pub(super) fn scaled(mut queries: Linear) -> Linear {
    let by = |values: &mut Vec<f32>| values.iter_mut().for_each(|value| *value /= (HEAD_WIDTH as f32).sqrt());
    match &mut queries.weight {
        Matrix::Plain(weight) => by(weight),
        Matrix::Quantised(_, scale) => by(scale),
    }
    by(&mut queries.bias);
    queries
}

/// Concatenates linear layers of the same input into one, which gives their outputs side by side.
pub(super) fn concatenated<const PARTS: usize>(parts: [Linear; PARTS]) -> Result<Linear, String> {
    let mut parts = parts.into_iter();
    let mut all = parts.next().ok_or("nothing to stack")?;
    for part in parts {
        match (&mut all.weight, part.weight) {
            (Matrix::Plain(weight), Matrix::Plain(more)) => weight.extend(more),
            (Matrix::Quantised(weight, scale), Matrix::Quantised(more, scales)) => {
                weight.extend(more);
                scale.extend(scales);
            }
            _ => return Err("an attention of plain and quantised parts".into()),
        }
        all.outputs += part.outputs;
        all.bias.extend(part.bias);
    }
    Ok(all)
}
