//! Flows: whose turn it is in a fair queue.

/// The flow of a request, as in fair queueing: requests of one flow take turns with those of others, however many each
/// flow has. An account is a flow; a model sees only its number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Flow(pub u64);
