//! The messages before the one that is moderated, as the client sends them, and what they say together with it.

mod context;
mod evidence;
mod turn;

pub(super) use context::faults;
pub use context::{ContextMessage, MAX_CONTEXT_BYTES, MAX_CONTEXT_MESSAGES};
pub(super) use evidence::Conversation;
pub use turn::Turn;
pub(super) use turn::read_turns;
