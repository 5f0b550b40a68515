//! Training improves a head, or leaves it as it was.

use std::sync::atomic::{AtomicBool, Ordering};

use super::made::{WIDTH, colours, head, metadata, random_head};
use crate::{
    encoder::Weights,
    train::{Example, FitReport, Head, Precision, Progress, TrainError, TrainSettings, fit},
};

#[test]
fn training_lowers_the_loss_and_raises_what_is_right_among_the_unseen() {
    let mut head = head();
    let examples = colours(500, 2);
    let unseen = colours(200, 3);
    let before = accuracy(&head, &unseen);
    let mut losses = Vec::new();
    let settings = TrainSettings { epochs: 12, l2_sp: 0.0, ..quick() };
    let mut progress = |progress: Progress| losses.push(progress.loss);
    let fitted =
        fit(&mut head, &examples, &colours(100, 4), &settings, &mut progress, &AtomicBool::new(false))
            .unwrap();
    let mean = |losses: &[f32]| losses.iter().sum::<f32>() / losses.len() as f32;
    let early = mean(&losses[..20]);
    let late = mean(&losses[losses.len() - 20..]);
    assert!(late < 0.7 * early, "{early} to {late}");
    assert!(fitted.after < 0.7 * fitted.before && fitted.kept > 0, "{fitted:?}");
    let after = accuracy(&head, &unseen);
    assert!(before < 0.6 && after > 0.8, "{before} to {after}");
}

#[test]
fn where_there_is_nothing_to_learn_the_starting_head_is_kept() {
    let mut head = head();
    let mut examples = colours(30, 5);
    let unseen = colours(50, 6);
    let before = head.logits(&unseen).unwrap();
    // The targets of validation are the opposite of those of training.
    let validation = colours(40, 8).into_iter().zip(head.logits(&colours(40, 8)).unwrap());
    let validation: Vec<Example> = validation
        .map(|(example, logits)| {
            let exps: Vec<f32> = logits.iter().map(|logit| logit.exp()).collect();
            let sum: f32 = exps.iter().sum();
            Example { target: exps.iter().map(|exp| exp / sum).collect(), ..example }
        })
        .collect();
    examples.iter_mut().for_each(|example| example.target.reverse());
    let fitted =
        fit(&mut head, &examples, &validation, &quick(), &mut |_| (), &AtomicBool::new(false)).unwrap();
    assert_eq!((fitted.kept, fitted.after), (0, fitted.before));
    assert_eq!(head.logits(&unseen).unwrap(), before);
    assert!((fitted.temperature - 1.0).abs() < 1e-3);
}

#[test]
fn a_pull_keeps_a_head_near_its_start() {
    let examples = colours(60, 5);
    let distance = |l2_sp: f32| {
        let start = head();
        let mut head = head();
        fit_quietly(&mut head, &examples, &TrainSettings { l2_sp, ..quick() }).unwrap();
        let pairs = head.variables().into_iter().zip(start.variables());
        let squares = pairs.map(|((_, one), (_, other))| {
            (one.as_tensor() - other.as_tensor())
                .unwrap()
                .sqr()
                .unwrap()
                .sum_all()
                .unwrap()
                .to_scalar::<f32>()
                .unwrap()
        });
        squares.sum::<f32>().sqrt()
    };
    let free = distance(0.0);
    let held = distance(1.0);
    assert!(held < 0.5 * free && free > 0.0, "{held} held, {free} free");
}

#[test]
fn the_seed_decides_and_nothing_else() {
    let examples = colours(50, 5);
    let trained = |seed: u64| {
        let mut head = head();
        let fitted = fit_quietly(&mut head, &examples, &TrainSettings { seed, ..quick() }).unwrap();
        (fitted, head.to_bytes(&metadata(), Precision::F32).unwrap())
    };
    let first = trained(1);
    let again = trained(1);
    let other = trained(2);
    assert!(first == again && first.1 != other.1);
}

#[test]
fn a_head_that_is_told_to_stop_stops_and_is_as_it_came() {
    let mut head = head();
    let examples = colours(200, 5);
    let start = head.to_bytes(&metadata(), Precision::F32).unwrap();
    let cancel = AtomicBool::new(false);
    let mut steps = 0;
    let mut progress = |progress: Progress| {
        steps = progress.step;
        cancel.store(progress.step == 3, Ordering::Relaxed);
    };
    let ended = fit(&mut head, &examples, &colours(9, 4), &quick(), &mut progress, &cancel);
    assert_eq!((ended, steps), (Err(TrainError::Cancelled), 3));
    assert_eq!(head.to_bytes(&metadata(), Precision::F32).unwrap(), start);
    let ended = fit(&mut head, &examples, &examples, &quick(), &mut |_| panic!(), &AtomicBool::new(true));
    assert_eq!(ended, Err(TrainError::Cancelled));
}

#[test]
fn unfit_settings_and_examples_are_refused() {
    let mut head = head();
    let examples = colours(9, 5);
    let settings = [
        TrainSettings { learning_rate: 0.0, ..quick() },
        TrainSettings { learning_rate: f32::NAN, ..quick() },
        TrainSettings { max_gradient_norm: 0.0, ..quick() },
        TrainSettings { warm_up: 1.5, ..quick() },
        TrainSettings { l2_sp: -1.0, ..quick() },
        TrainSettings { batch: 0, ..quick() },
        TrainSettings { epochs: 0, ..quick() },
        TrainSettings { patience: 0, ..quick() },
        TrainSettings { learning_rate: 1e30, weight_decay: 1e9, ..quick() },
    ];
    for settings in settings {
        let refused = fit_quietly(&mut head, &examples, &settings);
        assert!(matches!(refused, Err(TrainError::Unfit(_))), "{settings:?}");
    }
    assert!(matches!(fit_quietly(&mut head, &[], &quick()), Err(TrainError::Unfit(_))));
    let short = Example { hidden: vec![0.0; WIDTH - 1], ..examples[0].clone() };
    let refused = fit_quietly(&mut head, &[examples[0].clone(), short], &quick());
    let Err(TrainError::Unfit(why)) = refused else { panic!("{refused:?}") };
    assert!(why.starts_with("example 1: "), "{why}");
    let file = random_head(1);
    assert!(matches!(Head::read(&Weights::read(&file).unwrap(), 4), Err(TrainError::Unfit(_))));
}

fn accuracy(head: &Head, examples: &[Example]) -> f64 {
    let top = |values: &[f32]| (0..values.len()).max_by(|a, b| values[*a].total_cmp(&values[*b]));
    let logits = head.logits(examples).unwrap();
    let right = logits.iter().zip(examples).filter(|(logits, example)| top(logits) == top(&example.target));
    right.count() as f64 / examples.len() as f64
}

fn quick() -> TrainSettings {
    TrainSettings { epochs: 2, batch: 8, learning_rate: 1e-3, ..TrainSettings::default() }
}

fn fit_quietly(
    head: &mut Head,
    examples: &[Example],
    settings: &TrainSettings,
) -> Result<FitReport, TrainError> {
    let validation = colours(40, 8);
    fit(head, examples, &validation, settings, &mut |_| (), &AtomicBool::new(false))
}
