//! Image moderation: model scores become flags, a summary and an age. Only `moderate` does more than compute.

mod age;
mod fetch;
mod moderate;
mod policy;
mod source;
mod worst;

pub use age::{AgeEstimate, estimate};
pub use fetch::ImageFetcher;
pub use moderate::{ImageModeration, ModeratedImage, evaluate};
pub use policy::{Finding, ImagePolicy, ImageVerdict, decide};
pub use source::{ImageDraft, ImageSource, Origin, holding, too_large};
pub use worst::decide_on_worst;
