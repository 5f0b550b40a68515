//! Training improves a head, or leaves it as it was.

use std::sync::atomic::{AtomicBool, Ordering};

use super::made::{WIDTH, colours, head, metadata, random_head};
use crate::{
    encoder::Weights,
    train::{
        FitReport, Precision, TrainError, TrainSettings, TrainableHead, TrainingExample, TrainingProgress,
        TrainingSet, fit,
    },
};

#[test]
fn training_lowers_the_loss_and_raises_the_accuracy_on_unseen_examples() {
    let mut head = head();
    let examples = colours(500, 2);
    let unseen = colours(200, 3);
    let before = accuracy(&head, &unseen);
    let mut losses = Vec::new();
    let settings = TrainSettings { epochs: 12, l2_sp: 0.0, ..quick() };
    let set = TrainingSet { training: &examples, validation: &colours(100, 4) };
    let cancel = AtomicBool::new(false);
    let fitted = fit(&mut head, set, &settings, &mut |progress| losses.push(progress.loss), &cancel).unwrap();
    let early = mean(&losses[..20]);
    let late = mean(&losses[losses.len() - 20..]);
    assert!(late < 0.7 * early, "{early} to {late}");
    assert!(fitted.after < 0.7 * fitted.before && fitted.kept > 0, "{fitted:?}");
    let after = accuracy(&head, &unseen);
    assert!(before < 0.6 && after > 0.8, "{before} to {after}");
}

fn mean(losses: &[f32]) -> f32 {
    losses.iter().sum::<f32>() / losses.len() as f32
}

#[test]
fn where_there_is_nothing_to_learn_the_initial_head_is_kept() {
    let mut head = head();
    let mut examples = colours(30, 5);
    let unseen = colours(50, 6);
    let before = head.logits(&unseen).unwrap();
    // The targets of validation are the opposite of those of training.
    let validation = colours(40, 8).into_iter().zip(head.logits(&colours(40, 8)).unwrap());
    let validation: Vec<TrainingExample> = validation
        .map(|(example, logits)| {
            let exps: Vec<f32> = logits.iter().map(|logit| logit.exp()).collect();
            let sum: f32 = exps.iter().sum();
            TrainingExample { target: exps.iter().map(|exp| exp / sum).collect(), ..example }
        })
        .collect();
    examples.iter_mut().for_each(|example| example.target.reverse());
    let set = TrainingSet { training: &examples, validation: &validation };
    let fitted = fit(&mut head, set, &quick(), &mut |_| (), &AtomicBool::new(false)).unwrap();
    assert_eq!((fitted.kept, fitted.after), (0, fitted.before));
    assert_eq!(head.logits(&unseen).unwrap(), before);
    assert!((fitted.temperature - 1.0).abs() < 1e-3);
}

#[test]
fn l2_sp_keeps_a_head_near_its_start() {
    let free = distance_from_start(0.0);
    let held = distance_from_start(1.0);
    assert!(held < 0.5 * free && free > 0.0, "{held} held, {free} free");
}

/// The distance of a head that is trained with `l2_sp` from its initial state.
fn distance_from_start(l2_sp: f32) -> f32 {
    let mut trained = head();
    let start = head();
    fit_quietly(&mut trained, &colours(60, 5), &TrainSettings { l2_sp, ..quick() }).unwrap();
    let pairs = trained.snapshot().into_iter().zip(start.snapshot());
    let squares = pairs.map(|(one, other)| (one - other).mapv(|difference| difference.powi(2)).sum());
    squares.sum::<f32>().sqrt()
}

#[test]
fn the_result_depends_on_the_seed_and_on_nothing_else() {
    let examples = colours(50, 5);
    let [first, again, other] = [1, 1, 2].map(|seed| {
        let mut head = head();
        let fitted = fit_quietly(&mut head, &examples, &TrainSettings { seed, ..quick() }).unwrap();
        (fitted, head.to_bytes(&metadata(), Precision::F32).unwrap())
    });
    assert!(first == again && first.1 != other.1);
}

#[test]
fn a_cancelled_training_leaves_the_head_unchanged() {
    let mut head = head();
    let examples = colours(200, 5);
    let start = head.to_bytes(&metadata(), Precision::F32).unwrap();
    let cancel = AtomicBool::new(false);
    let mut steps = 0;
    let set = TrainingSet { training: &examples, validation: &colours(9, 4) };
    let progress = &mut |progress: TrainingProgress| {
        steps = progress.step;
        cancel.store(progress.step == 3, Ordering::Relaxed);
    };
    let ended = fit(&mut head, set, &quick(), progress, &cancel);
    assert_eq!((ended, steps), (Err(TrainError::Cancelled), 3));
    assert_eq!(head.to_bytes(&metadata(), Precision::F32).unwrap(), start);
    let set = TrainingSet { training: &examples, validation: &examples };
    let ended = fit(&mut head, set, &quick(), &mut |_| panic!(), &AtomicBool::new(true));
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
    let short = TrainingExample { hidden: vec![0.0; WIDTH - 1], ..examples[0].clone() };
    let refused = fit_quietly(&mut head, &[examples[0].clone(), short], &quick());
    let Err(TrainError::Unfit(why)) = refused else { panic!("{refused:?}") };
    assert!(why.starts_with("example 1: "), "{why}");
    let file = random_head(1);
    assert!(matches!(TrainableHead::read(&Weights::read(file).unwrap(), 4), Err(TrainError::Unfit(_))));
}

fn accuracy(head: &TrainableHead, examples: &[TrainingExample]) -> f64 {
    let logits = head.logits(examples).unwrap();
    let right = logits.iter().zip(examples).filter(|(logits, example)| top(logits) == top(&example.target));
    right.count() as f64 / examples.len() as f64
}

fn top(values: &[f32]) -> Option<usize> {
    (0..values.len()).max_by(|a, b| values[*a].total_cmp(&values[*b]))
}

fn quick() -> TrainSettings {
    TrainSettings { epochs: 2, batch: 8, learning_rate: 1e-3, ..TrainSettings::default() }
}

fn fit_quietly(
    head: &mut TrainableHead,
    examples: &[TrainingExample],
    settings: &TrainSettings,
) -> Result<FitReport, TrainError> {
    let set = TrainingSet { training: examples, validation: &colours(40, 8) };
    fit(head, set, settings, &mut |_| (), &AtomicBool::new(false))
}
