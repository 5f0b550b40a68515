//! Text moderation models: the native engine scores the harms and every domain name, the hybrid one adds an encoder.

pub mod evidence;
pub mod features;
pub mod host;
pub mod hybrid;
pub mod language;
pub mod linear;
pub mod native;
pub mod normalize;
mod reader;
pub mod weights;
mod window_sums;
pub mod windows;

pub use hybrid::{HybridOptions, HybridText};
pub use native::NativeText;
