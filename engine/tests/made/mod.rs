//! A decision model made of noise, and where the models are that set-up installs.

mod noise;

pub use noise::*;
