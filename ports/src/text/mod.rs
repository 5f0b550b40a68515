//! The port to a text moderation model, and how both sides read text: links, scripts, disguised characters.

mod category;
mod disguise;
mod engine;
pub mod links;
mod mode;
pub mod scripts;
pub mod tld;

pub use category::{Categories, Category};
pub use disguise::{is_invisible, unleet};
pub use engine::{DomainScore, Evidence, TextEngine, TextExplanation, TextFault, TextInput, TextScores};
pub use mode::TextMode;
