//! The messages before the one that is moderated, as the client sends them, and what they say together with it.

mod context;
mod evidence;
mod read;
mod turn;

pub(super) use context::faults;
pub use context::{ContextMessage, MAX_CONTEXT_BYTES, MAX_CONTEXT_MESSAGES};
pub(super) use evidence::Conversation;
pub(super) use read::read_turns;
pub use turn::ConversationTurn;
