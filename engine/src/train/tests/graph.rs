//! Every variable has the right gradient, and a token changes only the logits that may depend on it.

use super::made::{WIDTH, apart, colours, head};
use crate::train::{TrainableHead, TrainingExample, batch::Batch, pass::Pass};

fn loss(head: &TrainableHead, batch: &Batch) -> f64 {
    f64::from(batch.loss(&Pass::forward(head, batch).unwrap().logits))
}

#[test]
fn every_parameter_but_two_biases_gets_a_gradient() {
    let head = head();
    let examples = colours(6, 1);
    let batch = Batch::of(&examples.iter().collect::<Vec<_>>(), WIDTH).unwrap();
    let gradient = Pass::forward(&head, &batch).unwrap().backward(&head, &batch).unwrap();
    let parameters = gradient.parameters();
    for (name, gradient) in &parameters {
        let length = gradient.iter().map(|slope| slope.powi(2)).sum::<f32>().sqrt();
        assert!(length > 1e-5 && length.is_finite(), "{name}: {length}");
    }
    let mut names: Vec<&str> =
        parameters.iter().map(|(name, _)| name.trim_start_matches("encoder.layer.5.")).collect();
    names.sort_unstable();
    let expected = [
        "attention.output.LayerNorm.bias",
        "attention.output.LayerNorm.weight",
        "attention.output.dense.bias",
        "attention.output.dense.weight",
        "attention.self.key.weight",
        "attention.self.query.bias",
        "attention.self.query.weight",
        "attention.self.value.bias",
        "attention.self.value.weight",
        "intermediate.dense.bias",
        "intermediate.dense.weight",
        "output.LayerNorm.bias",
        "output.LayerNorm.weight",
        "output.dense.bias",
        "output.dense.weight",
        "score.dense.bias",
        "score.dense.weight",
        "score.out.weight",
    ];
    assert_eq!(names, expected);
}

#[test]
fn a_gradient_is_the_slope_of_the_loss() {
    let head = head();
    let mut examples = colours(6, 1);
    examples.iter_mut().zip([1.0, 0.5, 2.0].into_iter().cycle()).for_each(|(example, temperature)| {
        example.temperature = temperature;
    });
    let batch = Batch::of(&examples.iter().collect::<Vec<_>>(), WIDTH).unwrap();
    let gradient = Pass::forward(&head, &batch).unwrap().backward(&head, &batch).unwrap();
    for (at, (name, gradient)) in gradient.parameters().into_iter().enumerate() {
        let length = f64::from(gradient.iter().map(|slope| slope.powi(2)).sum::<f32>()).sqrt();
        let [ahead, back] = [5e-3, -5e-3].map(|by| {
            let mut moved = head.clone();
            moved.parameters_mut()[at].scaled_add((by / length) as f32, &gradient);
            loss(&moved, &batch)
        });
        let slope = (ahead - back) / 1e-2;
        assert!((slope - length).abs() < 0.05 * length + 2e-4, "{name}: {slope}, not {length}");
    }
}

#[test]
fn parameters_have_one_order() {
    let mut head = head();
    let shapes: Vec<Vec<usize>> =
        head.parameters().iter().map(|(_, values)| values.shape().to_vec()).collect();
    let sums: Vec<f32> = head.parameters().iter().map(|(_, values)| values.sum()).collect();
    let changed = head.parameters_mut();
    assert_eq!(shapes, changed.iter().map(|values| values.shape().to_vec()).collect::<Vec<_>>());
    assert_eq!(sums, changed.iter().map(|values| values.sum()).collect::<Vec<_>>());
}

fn logits(head: &TrainableHead, example: &TrainingExample) -> Vec<f32> {
    head.logits(std::slice::from_ref(example)).unwrap().remove(0)
}

#[test]
fn an_option_is_judged_by_its_own_tokens_and_by_those_without_an_owner() {
    let head = head();
    let example = TrainingExample {
        owners: vec![0, 1, 1, 2, 2, 0, 0],
        markers: vec![1, 3],
        hidden: colours(1, 1)[0].hidden[..6 * WIDTH].iter().chain([&0.1; WIDTH]).copied().collect(),
        target: vec![0.5; 2],
        temperature: 1.0,
    };
    let before = logits(&head, &example);
    for (token, first, second) in [(2, true, false), (4, false, true), (6, true, true), (0, true, true)] {
        let mut changed = example.clone();
        changed.hidden[token * WIDTH..][..WIDTH].iter_mut().for_each(|value| *value = 1.0 - *value);
        let after = logits(&head, &changed);
        assert_eq!((after[0] != before[0], after[1] != before[1]), (first, second), "token {token}");
    }
}

#[test]
fn company_changes_no_logit() {
    let head = head();
    let examples = colours(20, 3);
    let alone: Vec<Vec<f32>> = examples.iter().map(|example| logits(&head, example)).collect();
    let together = head.logits(&examples).unwrap();
    assert!(apart(&alone, &together) < 1e-5, "{}", apart(&alone, &together));
}
