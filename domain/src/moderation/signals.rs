//! What can be read off a message without a model: links, invites, mentions, account age. Pure.

use serde::{Deserialize, Serialize};

use super::TextMessage;

/// One thing seen. `start..end` are byte offsets into the original content; 0..0 for what is not in the text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Signal {
    /// What it is, such as `invite_link`.
    pub name: String,
    /// How much it adds to the threat score.
    pub weight: f64,
    /// Where it begins.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
}

/// All that was seen in one message.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Signals {
    /// In the order they stand in the text.
    pub seen: Vec<Signal>,
}

/// Reads a message.
pub fn read(_message: &TextMessage) -> Signals {
    Signals::default()
}
