//! Any LLM as a decision model, through OpenAI's chat completions: options are shown with letters, and the
//! probabilities of the letters are those of the options.
//!
//! Read `question.rs` first: it asks one question in several orders and groups of options.

mod ask;
mod chat;
mod dialect;
mod letters;
mod orders;
mod prompt;
mod question;
mod settings;
mod wire;

pub use chat::OpenAiChat;
pub use settings::{ChatSettings, Reasoning};
