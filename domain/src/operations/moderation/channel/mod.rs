//! What happened in a channel within the last minutes: repeated and copied messages, bursts of new accounts, mentions
//! over time, the same link from several authors. Remembers keyed hashes, never text.

mod evidence;
mod local;
mod memory;
mod record;

pub(super) use evidence::raise;
pub use local::LocalChannelMemory;
pub use memory::{ChannelMemory, Channels, RECORDS, WINDOW};
pub use record::{RECORD_BYTES, Record};
