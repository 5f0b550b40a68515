//! How several questions about one state are answered.

use serde::Serialize;
use strum::IntoStaticStr;

/// The way in which several questions are answered. The names on the wire are `native` and `hybrid`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, IntoStaticStr)]
pub enum DecisionMode {
    /// Each question is answered alone.
    #[default]
    #[strum(serialize = "native")]
    #[serde(rename = "Native")]
    Isolated,
    /// Questions are answered together: the most certain answers are fixed first, and the others are asked again given
    /// those.
    #[strum(serialize = "hybrid")]
    #[serde(rename = "Hybrid")]
    Joint,
}

impl DecisionMode {
    /// The name on the wire.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}
