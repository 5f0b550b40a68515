//! A message with what was read of it before a model is asked.

use std::sync::Arc;

use super::{
    Signals, TextMessage, personal_data,
    plain_rules::{FittedRule, RuleProbabilities, RuleQuery},
    policies::ActivePolicy,
    rules::Applied,
    signals,
};

#[derive(Clone)]
pub(super) struct Subject {
    pub(super) message: TextMessage,
    pub(super) signals: Signals,
    pub(super) policy: Option<Applied>,
    /// The rules in plain language that apply to it.
    pub(super) plain_rules: Vec<Arc<FittedRule>>,
}

impl Subject {
    /// Reads a message, by a policy if there is one. Personal data are looked for where they are `explained`, or a rule
    /// of the policy counts them.
    pub(super) fn new(message: TextMessage, policy: Option<&ActivePolicy>, explained: bool) -> Self {
        let plain_rules = policy.map(|policy| policy.plain_rules(&message)).unwrap_or_default();
        let mut policy = policy.map(|policy| policy.apply(&message));
        let mut signals =
            signals::read_trusting(&message, |host| policy.as_ref().is_some_and(|own| own.allows(host)));
        if explained || policy.as_ref().is_some_and(Applied::counts_personal_data) {
            let masked = policy.as_ref().and_then(|policy| policy.masked.as_deref());
            signals.personal_data = personal_data::find_likely(masked.unwrap_or(&message.content));
        }
        if let Some(policy) = &mut policy {
            policy.check_personal_data(&signals.personal_data);
        }
        signals.seen.extend(policy.iter().flat_map(|policy| policy.signals.iter().cloned()));
        Self { message, signals, policy, plain_rules }
    }

    /// Takes the probability that the message breaks each of [`plain_rules`](Self::plain_rules).
    pub(super) fn answer(&mut self, answered: &RuleProbabilities) {
        let Some(policy) = &mut self.policy else { return };
        for (fitted, probability) in self.plain_rules.iter().zip(&answered.probabilities) {
            let broken = policy.answer(&fitted.rule, *probability, answered.model.as_deref());
            self.signals.seen.extend(broken.iter().cloned());
        }
    }

    /// What the decision model is asked about its rules in plain language: without what a policy allows, unless nothing
    /// else is left.
    pub(super) fn query(&self) -> RuleQuery<'_> {
        let content = Some(self.content()).filter(|content| !content.trim().is_empty());
        let content = content.unwrap_or(&self.message.content);
        RuleQuery { content, message: &self.message, rules: &self.plain_rules }
    }

    /// The content that is scored: without what a policy allows.
    pub(super) fn content(&self) -> &str {
        let masked = self.policy.as_ref().and_then(|policy| policy.masked.as_deref());
        masked.unwrap_or(&self.message.content)
    }
}
