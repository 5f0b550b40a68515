//! What is asked about the rules of a message, and what is answered.

use std::sync::Arc;

use super::fitted_rule::FittedRule;
use crate::{
    Error, Result,
    operations::{inference::Answer, moderation::TextMessage},
};

/// A message and the rules that apply to it.
pub(in crate::operations::moderation) struct RuleQuery<'a> {
    /// The text that is read.
    pub(in crate::operations::moderation) content: &'a str,
    pub(in crate::operations::moderation) message: &'a TextMessage,
    pub(in crate::operations::moderation) rules: &'a [Arc<FittedRule>],
}

/// The probability that a message breaks each of its rules, in order.
#[derive(Clone, Debug, Default)]
pub(in crate::operations::moderation) struct RuleProbabilities {
    pub(in crate::operations::moderation) probabilities: Vec<f64>,
    /// The backend and its model that gave them, if it was not the default model.
    pub(in crate::operations::moderation) model: Option<String>,
}

/// What an answer says of a rule.
///
/// # Errors
/// `INTERNAL_ERROR` for another answer than yes or no.
pub(super) fn probability(answer: &Answer) -> Result<f64> {
    match answer {
        Answer::Noul { noul, .. } => Ok(*noul),
        _ => Err(Error::internal("a rule was not answered with yes or no")),
    }
}
