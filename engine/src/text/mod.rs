//! Text moderation models: the native engine scores the harms and every domain name, the hybrid one adds an encoder.

mod error;
pub mod evidence;
pub mod features;
pub mod host;
pub mod hybrid;
pub mod language;
mod leet;
pub mod lexicon;
pub mod linear;
pub mod native;
mod native_models;
pub mod normalize;
mod raw_words;
mod sentence;
mod suspects;
pub mod weights;
mod window_sums;
pub mod windows;
mod word_forms;
mod word_reader;
pub mod words;

pub use error::NativeWeightError;
pub use hybrid::{HybridOptions, HybridText};
pub use native::NativeText;
