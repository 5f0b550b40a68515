//! Image moderation: a picture in, scores and flags out. `moderate` is the whole line; the rest is pure.

mod age;
mod class;
mod fetch;
mod moderate;
mod policy;
mod source;

pub use age::{AgeEstimate, estimate};
pub use class::{Class, ClassScores};
pub use fetch::ImageFetcher;
pub use moderate::{ImageModeration, ModeratedImage, judge, moderate};
pub use policy::{Finding, ImagePolicy, ImageVerdict, decide};
pub use source::{ImageDraft, ImageSource, Origin, too_large};
