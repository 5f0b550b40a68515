//! Checkpoints: a Judge's own head, trained on the ground truths of its samples.

mod trainer;

pub use trainer::{
    Candidate, KeyReport, LeftOut, Level, Trained, Trainer, TrainingControl, TrainingError, TrainingLabel,
    TrainingReport, TrainingRequest, TrainingSample,
};
