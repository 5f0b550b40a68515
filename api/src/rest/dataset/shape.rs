//! The response of an import.

use domain::learning::dataset::import::Imported;
use serde::Serialize;
use utoipa::ToSchema;

/// What was imported. Each line is counted once: `lines` is the sum of the others.
#[derive(Debug, Serialize, ToSchema)]
pub struct DatasetImportResponse {
    /// Lines with a sample.
    #[schema(example = 120)]
    pub lines: usize,
    /// Lines that became a sample.
    #[schema(example = 100)]
    pub imported: usize,
    /// Lines whose content was already there and got its first ground truth.
    #[schema(example = 15)]
    pub labelled: usize,
    /// Lines whose content was already there, and that added nothing.
    #[schema(example = 5)]
    pub duplicates: usize,
    /// Whether this was a dry run, which writes nothing.
    #[schema(example = false)]
    pub dry_run: bool,
}

impl DatasetImportResponse {
    pub(super) fn new(imported: Imported, dry_run: bool) -> Self {
        let Imported { lines, imported, labelled, duplicates } = imported;
        Self { lines, imported, labelled, duplicates, dry_run }
    }
}
