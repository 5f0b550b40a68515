//! BERT's layers, from a weight file to an ONNX graph: as many as a backbone has, or the one of a head.

use super::net::{GraphBuilder, HEAD_WIDTH, Quantised};
use super::weights::{Linear, Matrix, Weights};
use crate::onnx::{Dim, Graph};

/// The graph of the first `layers` layers: `embeddings` `[batch, tokens, width]`, sums of word, position and segment,
/// and `mask` `[batch, 1, rows, tokens]`, what is added to the scores of tokens, of each row or of one for all, to `hidden`, shaped as `embeddings`.
pub(super) fn backbone(weights: &Weights<'_>, layers: usize) -> Result<Graph, String> {
    let width = width(weights)?;
    let mut net = GraphBuilder::new("backbone");
    let shape = || vec![Dim::Free("batch"), Dim::Free("tokens"), Dim::Fixed(width)];
    let embeddings = net.input("embeddings", shape());
    let mask = net.input("mask", mask_shape());
    let mut hidden = norm(&mut net, weights, "embeddings.LayerNorm", &embeddings)?;
    for layer in 0..layers {
        let part = |name: &str| weights.linear(&format!("encoder.layer.{layer}.attention.self.{name}"));
        let bytes = net.quantise(&hidden);
        let all = concatenated([scaled(part("query")?), part("key")?, part("value")?])?;
        let all = net.linear(&bytes, &all);
        let [queries, keys, values] = net.heads(&all);
        let seen = net.attend([&queries, &keys, &values], &mask);
        hidden = after_attention(&mut net, weights, layer, &hidden, &seen)?;
    }
    Ok(net.finish(&hidden, "hidden", shape()))
}

/// The graph of layer `layer` for a few tokens of each sequence, and of the score read there: `hidden`
/// `[batch, tokens, width]`, `mask` as a backbone's, `queries` `[batch, markers, width]`, which are those tokens' vectors in
/// `hidden`, to `logits` `[batch, markers, 1]`.
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
    Ok(net.finish(&logits, "logits", of("markers", 1)))
}

/// The width of a token's vector.
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

/// What follows attention in a layer.
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

/// Queries, divided by the root of a head's width once for all.
pub(super) fn scaled(mut queries: Linear) -> Linear {
    let by = |values: &mut Vec<f32>| values.iter_mut().for_each(|value| *value /= (HEAD_WIDTH as f32).sqrt());
    match &mut queries.weight {
        Matrix::Plain(weight) => by(weight),
        Matrix::Quantised(_, scale) => by(scale),
    }
    by(&mut queries.bias);
    queries
}

/// Linear layers of one input as one, which gives their outputs one after another.
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
