//! Judges and what makes them better: samples and their ground truths, agreement, evaluation and Checkpoints.

pub mod agreement;
pub mod checkpoint;
pub mod dataset;
pub mod evaluation;
pub mod judge;
pub mod moderation_log;
mod owner;
pub mod sample;
