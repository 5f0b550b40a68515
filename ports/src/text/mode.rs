//! The moderation pipeline that a message goes through.

use std::str::FromStr;

use serde::Serialize;
use strum::{EnumString, IntoStaticStr};

use crate::InvalidField;

/// The moderation pipeline.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, EnumString, IntoStaticStr)]
pub enum TextMode {
    /// Guardrails and the diffusion model together.
    #[default]
    #[strum(serialize = "hybrid")]
    Hybrid,
    /// The native model alone.
    #[strum(serialize = "native")]
    Native,
}

impl TextMode {
    /// The name on the wire.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Parses a name.
    ///
    /// # Errors
    /// The field, with the allowed names.
    pub fn parse(field: &str, name: &str) -> Result<Self, InvalidField> {
        Self::from_str(name).map_err(|_| InvalidField::new(field, "must be one of: hybrid, native"))
    }
}
