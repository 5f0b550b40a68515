//! A rule with what its examples taught.

use std::sync::Arc;

use super::rule_fit::RuleFit;
use crate::operations::moderation::{
    odds::{logit, sigmoid},
    rules::PlainRule,
};

/// A rule in plain language, ready to be asked.
#[derive(Clone, Debug)]
pub(in crate::operations::moderation) struct FittedRule {
    pub(in crate::operations::moderation) rule: PlainRule,
    /// What its examples taught; the same for all rules without enough of them.
    pub(super) fit: Arc<RuleFit>,
}

impl FittedRule {
    /// The probability that a message breaks the rule, given what the model says and the message's vector.
    pub(super) fn probability(&self, said: f64, vector: Option<&[f32]>) -> f64 {
        sigmoid(self.fit.log_odds(logit(said), vector))
    }

    /// The approximate number of bytes in memory beside those of the rules.
    pub(in crate::operations::moderation) fn bytes(&self) -> usize {
        size_of::<Self>() + self.fit.bytes()
    }
}
