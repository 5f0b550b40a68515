//! Trains Checkpoints: for each key of a Judge, how the answers of the model as it is should be corrected.
//!
//! Each labelled question is read once by the frozen backbone, as in serving: the zero-shot probabilities and the
//! features, the means over the state's tokens of the embeddings and of the lowest layers' hidden states. Candidates, from
//! the least to the most that they change:
//!
//! - `zero_shot`: the live model as it is;
//! - `calibrated`: its log-probabilities, scaled, and a bias for each option;
//! - `linear`: these and a logistic regression on the features, so that the zero-shot answer is the prior that the ridge
//!   penalty shrinks towards; for scores also `ordinal`, with one direction for all levels. The penalty is chosen too;
//! - `last_layer`: the model's last layer, trained by `train` for all keys together and held near its start by L2-SP,
//!   blended with the zero-shot answer; `linear_on_last_layer`: both.
//!
//! Each is fitted on four fifths of the samples and scored on the rest, five times; samples of the same content are never
//! on both sides. A temperature is fitted on these held-out answers. The candidate with the least held-out loss wins,
//! if it beats zero-shot by more than chance explains and its accuracy is not lower; else the key stays as it is. A last layer, which takes 2.4 MB, must beat the others as clearly. Rare
//! options count more in the fit, by the root of their share, and their prior is corrected afterwards.

mod choose;
mod dataset;
mod folds;
mod last_layer;
mod logistic;
mod reading;
mod score;
mod trainer;

pub use trainer::FineTuner;
