//! What a rule leads to.

use serde::{Deserialize, Serialize};

/// The least that happens to a message that matches a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RuleAction {
    /// A moderator looks at it.
    Review,
    Warn,
    Timeout,
    Ban,
}
