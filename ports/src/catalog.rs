//! The port to the list of models that a process has.

use crate::EngineError;

/// A model with its hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CatalogModel {
    pub name: String,
    pub version: String,
    pub file: String,
    pub bytes: u64,
    /// In hexadecimal; empty for a missing file.
    pub sha256: String,
    /// `built_in`, `installed` or `own`.
    pub origin: &'static str,
    /// `intact`, `altered` or `missing`; for a custom model `unpinned` or `unusable`.
    pub state: &'static str,
    /// Why the model cannot be used, or differs from its record.
    pub fault: Option<String>,
}

/// The models of a process.
pub trait ModelCatalog: Send + Sync + 'static {
    /// Hashes all models, which takes most of a second.
    ///
    /// # Errors
    /// When a file cannot be read.
    fn list(&self) -> Result<Vec<CatalogModel>, EngineError>;
}
