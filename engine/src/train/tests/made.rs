//! Heads with random weights, narrower than real ones, and synthetic hidden states.

use std::collections::{BTreeMap, HashMap};

use rand::{Rng, SeedableRng, rngs::StdRng};
use safetensors::{Dtype, tensor::TensorView};

use crate::{
    encoder::Weights,
    train::{HeadMetadata, TrainableHead, TrainingExample},
};

pub(super) const WIDTH: usize = 64;
pub(super) const WIDE: usize = 128;
pub(super) const LAYER: usize = 5;

/// A weight file of a head with random weights.
pub(super) fn random_head(seed: u64) -> Vec<u8> {
    let mut random = StdRng::seed_from_u64(seed);
    let layer = format!("encoder.layer.{LAYER}.");
    let linears = [
        (format!("{layer}attention.self.query"), WIDTH, WIDTH),
        (format!("{layer}attention.self.key"), WIDTH, WIDTH),
        (format!("{layer}attention.self.value"), WIDTH, WIDTH),
        (format!("{layer}attention.output.dense"), WIDTH, WIDTH),
        (format!("{layer}intermediate.dense"), WIDE, WIDTH),
        (format!("{layer}output.dense"), WIDTH, WIDE),
        ("score.dense".into(), WIDTH, WIDTH),
        ("score.out".into(), 1, WIDTH),
    ];
    let random = &mut random;
    let mut tensors: Vec<(String, Vec<usize>, Vec<u8>)> = Vec::new();
    for (name, outputs, inputs) in linears {
        let values = numbers(random, outputs * inputs, 0.0, (3.0 / inputs as f32).sqrt());
        tensors.push((format!("{name}.weight"), vec![outputs, inputs], values));
        tensors.push((format!("{name}.bias"), vec![outputs], numbers(random, outputs, 0.0, 0.1)));
    }
    for name in ["attention.output", "output"] {
        let norm = format!("{layer}{name}.LayerNorm");
        tensors.push((format!("{norm}.weight"), vec![WIDTH], numbers(random, WIDTH, 1.0, 0.2)));
        tensors.push((format!("{norm}.bias"), vec![WIDTH], numbers(random, WIDTH, 0.0, 0.1)));
    }
    let views = tensors.iter().map(|(name, shape, bytes)| {
        (name.as_str(), TensorView::new(Dtype::F32, shape.clone(), bytes).unwrap())
    });
    let metadata = [("name", "random"), ("version", "1"), ("format", "1"), ("config", "{}")];
    let metadata: HashMap<_, _> = metadata.map(|(key, value)| (key.to_owned(), value.to_owned())).into();
    safetensors::serialize(views, Some(metadata)).unwrap()
}

fn numbers(random: &mut StdRng, count: usize, around: f32, spread: f32) -> Vec<u8> {
    (0..count).flat_map(|_| (around + random.random_range(-spread..spread)).to_le_bytes()).collect()
}

pub(super) fn head() -> TrainableHead {
    TrainableHead::read(&Weights::read(random_head(1)).unwrap(), LAYER).unwrap()
}

/// Examples in which the right option has the colour of the last token, so that no option can be recognised by itself.
pub(super) fn colours(count: usize, seed: u64) -> Vec<TrainingExample> {
    let mut colours = StdRng::seed_from_u64(99);
    let colours: [[f32; WIDTH]; 3] =
        std::array::from_fn(|_| std::array::from_fn(|_| colours.random_range(-1.0..1.0)));
    let mut random = StdRng::seed_from_u64(seed);
    (0..count).map(|_| example(&mut random, &colours)).collect()
}

fn example(random: &mut StdRng, colours: &[[f32; WIDTH]; 3]) -> TrainingExample {
    let tokens = random.random_range(6..14);
    let options = random.random_range(2..=3);
    let mut hidden: Vec<f32> = (0..tokens * WIDTH).map(|_| random.random_range(-0.5..0.5)).collect();
    let first = random.random_range(0..3);
    let right = random.random_range(0..options);
    for option in 0..options {
        paint(&mut hidden, option + 1, &colours[(first + option) % 3]);
    }
    paint(&mut hidden, tokens - 1, &colours[(first + right) % 3]);
    let target = (0..options).map(|option| if option == right { 1.0 } else { 0.0 }).collect();
    let mut owners = vec![0; tokens];
    owners[1..=options].iter_mut().zip(1..).for_each(|(owner, option)| *owner = option);
    TrainingExample { hidden, owners, markers: (1..=options as u32).collect(), target, temperature: 1.0 }
}

/// Adds a colour to a token.
fn paint(hidden: &mut [f32], token: usize, colour: &[f32; WIDTH]) {
    hidden[token * WIDTH..][..WIDTH].iter_mut().zip(colour).for_each(|(value, more)| *value += more);
}

pub(super) fn metadata() -> HeadMetadata {
    let temperatures = BTreeMap::from([("choice".to_owned(), vec![1.0, 1.25])]);
    HeadMetadata { name: "judge".into(), version: "7".into(), backbone: "ab12".into(), temperatures }
}

/// The largest difference between two logits.
pub(super) fn apart(one: &[Vec<f32>], other: &[Vec<f32>]) -> f32 {
    assert_eq!(one.iter().map(Vec::len).collect::<Vec<_>>(), other.iter().map(Vec::len).collect::<Vec<_>>());
    one.iter().flatten().zip(other.iter().flatten()).fold(0.0, |most, (a, b)| most.max((a - b).abs()))
}
