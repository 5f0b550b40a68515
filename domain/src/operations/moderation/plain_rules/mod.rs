//! Asks the decision model whether messages break rules in plain language, and learns from a rule's examples.

mod ask;
mod fit_cache;
mod fitted_rule;
mod named;
mod query;
mod question;
mod rule_fit;

pub(super) use ask::RuleAsking;
pub use ask::RuleQuestions;
pub(super) use fitted_rule::FittedRule;
pub(super) use query::{RuleProbabilities, RuleQuery};
