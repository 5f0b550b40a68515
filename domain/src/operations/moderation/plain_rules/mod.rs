//! Asks the decision model whether messages break rules in plain language, and learns from a rule's examples.

mod ask;
mod fit;
mod fits;
mod fitted;
mod named;
mod query;
mod question;

pub(super) use ask::RuleAsking;
pub use ask::RuleQuestions;
pub(super) use fitted::FittedRule;
pub(super) use query::{RuleProbabilities, RuleQuery};
