//! Scopes of API keys.

use crate::{Error, Result};

/// A permission of an API key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    /// Moderate text and images.
    Moderate,
    /// Run decision inference.
    Infer,
    /// Manage the account as an editor.
    Manage,
    /// Read the account's data as an analyst.
    Read,
}

impl Scope {
    pub const ALL: [Scope; 4] = [Scope::Moderate, Scope::Infer, Scope::Manage, Scope::Read];

    /// The scope's name on the wire and in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Scope::Moderate => "moderate",
            Scope::Infer => "infer",
            Scope::Manage => "manage",
            Scope::Read => "read",
        }
    }

    /// Parses a name. The error for an unknown one lists those allowed.
    pub fn parse(name: &str) -> Result<Self> {
        let wrong = || Error::invalid("scopes", "must be of: moderate, infer, manage, read");
        Scope::ALL.into_iter().find(|scope| scope.as_str() == name).ok_or_else(wrong)
    }
}
