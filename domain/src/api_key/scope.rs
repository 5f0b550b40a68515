//! What keys may do.

use crate::{Error, Result};

/// What a key may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    /// Moderate text and images.
    Moderate,
    /// Run decision inference.
    Infer,
    /// Change what the account has.
    Manage,
    /// Look at what the account has.
    Read,
}

impl Scope {
    /// Every scope.
    pub const ALL: [Scope; 4] = [Scope::Moderate, Scope::Infer, Scope::Manage, Scope::Read];

    /// The name on the wire and in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Scope::Moderate => "moderate",
            Scope::Infer => "infer",
            Scope::Manage => "manage",
            Scope::Read => "read",
        }
    }

    /// Reads a name; an unknown one is an error naming the allowed ones.
    pub fn parse(name: &str) -> Result<Self> {
        let wrong = || Error::invalid("scopes", "must be of: moderate, infer, manage, read");
        Scope::ALL.into_iter().find(|scope| scope.as_str() == name).ok_or_else(wrong)
    }
}
