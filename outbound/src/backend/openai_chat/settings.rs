//! How an LLM is asked.

use serde::Deserialize;
use serde_json::{Map, Value};

/// How an LLM is asked; docs/backends.md describes each.
#[derive(Clone, Debug)]
pub struct ChatSettings {
    /// Orders of the options that each question is asked in.
    pub rotations: usize,
    /// How many of the most probable tokens the server is asked for; also the most options shown at once.
    pub top_logprobs: usize,
    /// Answers that are drawn from a server without `logprobs`.
    pub samples: usize,
    /// Maximum tokens of a text, and of an answer with reasoning before it.
    pub answer_tokens: u32,
    pub reasoning: Reasoning,
    /// More members of each request.
    pub extra: Map<String, Value>,
}

/// Whether a model may reason before it answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reasoning {
    /// It is told not to, as far as its server has a switch.
    #[default]
    Off,
    /// It may, within `answer_tokens`.
    Allowed,
}
