//! Text moderation: undo disguises, hash n-grams, score eight harms and every domain name.

pub mod evidence;
pub mod features;
pub mod host;
pub mod hybrid;
pub mod linear;
pub mod native;
pub mod normalize;
mod reader;
pub mod weights;

pub use hybrid::{HybridOptions, HybridText};
pub use native::NativeText;
