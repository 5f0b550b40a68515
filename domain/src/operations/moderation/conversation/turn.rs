//! What is read in a message before a message.

/// A message before the one that is moderated: the probabilities that count together with it, as the native model reads
/// it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ConversationTurn {
    /// Whether it is the same author's.
    pub by_author: bool,
    pub self_harm_intent: f64,
    pub sexual: f64,
    pub sexual_minors: f64,
}
