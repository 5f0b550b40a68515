//! Every variable has the right gradient, and a token changes only the logits that may depend on it.

use super::made::{WIDTH, apart, colours, head};
use crate::train::{TrainableHead, TrainingExample, batch::Batch};

#[test]
fn every_variable_gets_a_gradient() {
    let head = head();
    let examples = colours(6, 1);
    let batch = Batch::of(&examples.iter().collect::<Vec<_>>(), WIDTH).unwrap();
    let gradients = batch.loss(&head.forward(&batch).unwrap()).unwrap().backward().unwrap();
    let variables = head.variables();
    for (name, variable) in &variables {
        let gradient = gradients.get(variable).unwrap_or_else(|| panic!("{name} gets no gradient"));
        let length = gradient.sqr().unwrap().sum_all().unwrap().to_scalar::<f32>().unwrap().sqrt();
        assert!(length > 1e-5 && length.is_finite(), "{name}: {length}");
    }
    let mut names: Vec<&str> =
        variables.iter().map(|(name, _)| name.trim_start_matches("encoder.layer.5.")).collect();
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
    let examples = colours(6, 1);
    let batch = Batch::of(&examples.iter().collect::<Vec<_>>(), WIDTH).unwrap();
    let gradients = batch.loss(&head.forward(&batch).unwrap()).unwrap().backward().unwrap();
    for (name, variable) in head.variables() {
        let gradient = gradients.get(&variable).unwrap();
        let old = variable.copy().unwrap();
        let length = gradient.sqr().unwrap().sum_all().unwrap();
        let length = f64::from(length.to_scalar::<f32>().unwrap()).sqrt();
        let [ahead, back] = [5e-3, -5e-3].map(|by| {
            variable.set(&(&old + (gradient * (by / length)).unwrap()).unwrap()).unwrap();
            let loss = batch.loss(&head.forward(&batch).unwrap()).unwrap();
            f64::from(loss.to_scalar::<f32>().unwrap())
        });
        let slope = (ahead - back) / 1e-2;
        variable.set(&old).unwrap();
        assert!((slope - length).abs() < 0.05 * length + 2e-4, "{name}: {slope}, not {length}");
    }
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
