//! A message with what was read of it before a model is asked.

use super::{Signals, TextMessage, policies::ActivePolicy, rules::Applied, signals};

#[derive(Clone)]
pub(super) struct Subject {
    pub(super) message: TextMessage,
    pub(super) signals: Signals,
    pub(super) policy: Option<Applied>,
}

impl Subject {
    /// Reads a message, by a policy if there is one.
    pub(super) fn new(message: TextMessage, policy: Option<&ActivePolicy>) -> Self {
        let policy = policy.map(|policy| policy.apply(&message));
        let mut signals =
            signals::read_trusting(&message, |host| policy.as_ref().is_some_and(|own| own.allows(host)));
        signals.seen.extend(policy.iter().flat_map(|policy| policy.signals.iter().cloned()));
        Self { message, signals, policy }
    }

    /// The content that is scored: without what a policy allows.
    pub(super) fn content(&self) -> &str {
        let masked = self.policy.as_ref().and_then(|policy| policy.masked.as_deref());
        masked.unwrap_or(&self.message.content)
    }
}
