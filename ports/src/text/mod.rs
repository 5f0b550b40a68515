//! The port to a text moderation model, and how both sides read text: links, scripts, disguised characters.

mod category;
mod engine;
mod lexicon;
pub mod links;
mod mode;
pub mod reader;
pub mod scripts;

pub use category::{Categories, Category};
pub use engine::{DomainScore, Evidence, TextEngine, TextExplanation, TextFault, TextInput, TextScores};
pub use lexicon::{LEXICON_LANGUAGES, LexiconHit, LexiconKind};
pub use mode::TextMode;
