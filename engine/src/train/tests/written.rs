//! Weight files of heads can be read again and served.

use std::path::{Path, PathBuf};

use super::made::{LAYER, WIDTH, apart, colours, head, metadata};
use crate::{
    encoder::{self, Hidden, Sequence, Weights},
    runtime::{OnnxRuntime, Runtime},
    train::{Precision, TrainableHead, TrainingExample},
};

#[test]
fn what_is_written_is_read_again_and_says_whose_it_is() {
    let head = head();
    let examples = colours(40, 5);
    let logits = head.logits(&examples).unwrap();
    let plain = head.to_bytes(&metadata(), Precision::F32).unwrap();
    let weights = Weights::read(plain.clone()).unwrap();
    assert_eq!((weights.name.as_str(), weights.version.as_str()), ("judge", "7"));
    assert_eq!(weights.config, r#"{"backbone":"ab12","temperatures":{"choice":[1.0,1.25]}}"#);
    assert_eq!(TrainableHead::read(&weights, LAYER).unwrap().logits(&examples).unwrap(), logits);
    let quantised = head.to_bytes(&metadata(), Precision::Quantised).unwrap();
    assert!(quantised.len() < plain.len() * 2 / 5);
    let rounded =
        TrainableHead::read(&Weights::read(quantised).unwrap(), LAYER).unwrap().logits(&examples).unwrap();
    assert!(apart(&rounded, &logits) < 0.15, "{}", apart(&rounded, &logits));
}

#[test]
fn a_head_serves_what_it_was_trained_to() {
    let head = head();
    let examples = colours(40, 5);
    // The second is ONNX Runtime if set-up has installed it.
    let runtimes = [Runtime::built_in(), Runtime::open(&OnnxRuntime::Auto, &models_dir())];
    for (precision, tolerance) in [(Precision::F32, 1e-4), (Precision::Quantised, 0.05)] {
        let file = head.to_bytes(&metadata(), precision).unwrap();
        let weights = Weights::read(file).unwrap();
        let expected = TrainableHead::read(&weights, LAYER).unwrap().logits(&examples).unwrap();
        for runtime in &runtimes {
            let serving = encoder::Head::load(runtime, &weights, LAYER).unwrap();
            let served: Vec<Vec<f32>> = examples.iter().map(|example| serve(&serving, example)).collect();
            let apart = apart(&served, &expected);
            assert!(apart < tolerance, "{precision:?} on {}: {apart}", runtime.name());
        }
    }
}

fn models_dir() -> PathBuf {
    std::env::var_os("GAVEL_MODELS_DIR")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../.cache/models"), PathBuf::from)
}

fn serve(head: &encoder::Head, example: &TrainingExample) -> Vec<f32> {
    let tokens = example.hidden.len() / WIDTH;
    let sequence = Sequence {
        ids: vec![0; tokens],
        positions: vec![0; tokens],
        segments: vec![0; tokens],
        owners: example.owners.clone(),
        ranks: Vec::new(),
        markers: example.markers.clone(),
    };
    let padded_len = sequence.padded_len();
    let mut values = example.hidden.clone();
    values.resize(padded_len * WIDTH, 3.0);
    let hidden = Hidden { values, padded_len, width: WIDTH, features: Vec::new() };
    head.run(&hidden, &[&sequence], &[0]).unwrap().remove(0)
}
