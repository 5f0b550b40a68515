//! Crowns as files: read again by training, and served.

use super::made::{LAYER, WIDTH, apart, colours, crown, label};
use crate::{
    encoder::{self, Hidden, Sequence, Weights},
    runtime::Runtime,
    train::{Crown, Example, Precision},
};

#[test]
fn what_is_written_is_read_again_and_says_whose_it_is() {
    let (crown, examples) = (crown(), colours(40, 5));
    let logits = crown.logits(&examples).unwrap();
    let plain = crown.to_bytes(&label(), Precision::F32).unwrap();
    let weights = Weights::read(&plain).unwrap();
    assert_eq!((weights.name.as_str(), weights.version.as_str()), ("judge", "7"));
    assert_eq!(weights.config, r#"{"trunk":"ab12","temperatures":{"choice":[1.0,1.25]}}"#);
    assert_eq!(Crown::read(&weights, LAYER).unwrap().logits(&examples).unwrap(), logits);
    let quantised = crown.to_bytes(&label(), Precision::Quantised).unwrap();
    assert!(quantised.len() < plain.len() * 2 / 5);
    let rounded = Crown::read(&Weights::read(&quantised).unwrap(), LAYER).unwrap().logits(&examples).unwrap();
    assert!(apart(&rounded, &logits) < 0.15, "{}", apart(&rounded, &logits));
}

#[test]
fn a_crown_serves_what_it_was_trained_to() {
    let (crown, mut examples) = (crown(), colours(40, 5));
    // Serving has no owners yet: every token sees all.
    examples.iter_mut().for_each(|example| example.owners.fill(0));
    for (precision, tolerance) in [(Precision::F32, 1e-4), (Precision::Quantised, 0.05)] {
        let file = crown.to_bytes(&label(), precision).unwrap();
        let weights = Weights::read(&file).unwrap();
        let expected = Crown::read(&weights, LAYER).unwrap().logits(&examples).unwrap();
        let serving = encoder::Crown::load(&Runtime::built_in(), &weights, LAYER).unwrap();
        let served: Vec<Vec<f32>> = examples.iter().map(|example| serve(&serving, example)).collect();
        assert!(apart(&served, &expected) < tolerance, "{precision:?}: {}", apart(&served, &expected));
    }
}

fn serve(crown: &encoder::Crown, example: &Example) -> Vec<f32> {
    let tokens = example.hidden.len() / WIDTH;
    let (ids, marks) = (vec![0; tokens], example.marks.clone());
    let sequence = Sequence { ids, positions: vec![0; tokens], segments: vec![0; tokens], marks };
    let filled = sequence.filled();
    let mut values = example.hidden.clone();
    values.resize(filled * WIDTH, 3.0);
    let mut mask = vec![0.0; tokens];
    mask.resize(filled, -30_000.0);
    let hidden = Hidden { values, mask, filled, width: WIDTH };
    crown.run(&hidden, &[&sequence], &[0]).unwrap().remove(0)
}
