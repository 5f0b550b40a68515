//! Trains Checkpoints: for each key of a Judge, how the answers of the base model should be corrected.
//!
//! Each labelled question is read once by the frozen backbone, as in serving. This gives the zero-shot probabilities
//! and the features, the means over the state's tokens of the embeddings and of the lowest layers' hidden states. The
//! candidates, from the one that changes least to the one that changes most:
//!
//! - `zero_shot`: the live model;
//! - `calibrated`: its log-probabilities, scaled, and a bias for each option;
//! - `linear`: these and a logistic regression on the features, so that the ridge penalty shrinks the result towards
//!   the zero-shot answer; for scores also `ordinal`, with one direction for all levels. The penalty is chosen too;
//! - `last_layer`: the model's last layer, trained by `train` for all keys together, held near its start by L2-SP and
//!   blended with the zero-shot answer;
//! - `linear_on_last_layer`: `linear` and `last_layer` together.
//!
//! Each candidate is fitted on four fifths of the samples and scored on the rest, five times; samples with the same
//! content are always in the same fold. A temperature is fitted on these held-out answers. The candidate with the least
//! held-out loss wins if it beats zero-shot by more than chance explains and its accuracy is not lower; otherwise the
//! key stays as it is. A last layer, which takes 2.4 MB, must beat the others by as much. Rare options have a greater
//! weight in the fit, by the root of their share, and their prior is corrected afterwards.
//!
//! What shows no gain is not tried further: smaller penalties once the held-out loss rises, and a last layer whose
//! first fold is no better than zero-shot.

mod choose;
mod dataset;
mod folds;
mod last_layer;
mod lbfgs;
mod logistic;
mod sample_reader;
mod score;
mod trainer;

pub use trainer::FineTuner;
