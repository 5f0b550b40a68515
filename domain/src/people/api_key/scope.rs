//! Scopes of API keys.

use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::{Error, Result};

/// A permission of an API key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
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
    pub const ALL: &[Scope] = Scope::VARIANTS;

    /// The scope's name on the wire and in the database.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Parses a name. The error for an unknown one lists those allowed.
    pub fn parse(name: &str) -> Result<Self> {
        name.parse().map_err(|_| Error::invalid("scopes", "must be some of: moderate, infer, manage, read"))
    }
}
