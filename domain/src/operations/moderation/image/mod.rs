//! Image moderation: model scores become flags, a summary and an age. Only `moderate` does more than compute.

mod age;
mod fetch;
mod moderate;
mod policy;
mod record;
mod source;
mod worst;

pub use age::{AgeEstimate, estimate};
pub use fetch::ImageFetcher;
pub(super) use moderate::PictureRecording;
pub use moderate::{ImageModeration, ModeratedImage, PostedPicture, evaluate};
pub use policy::{Finding, ImagePolicy, ImageVerdict, decide};
pub use record::{PictureFile, PictureSender, PictureSeverity};
pub use source::{ImageDraft, ImageSource, Origin, holding, too_large};
pub use worst::decide_on_worst;
