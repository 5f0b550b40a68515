//! What an import is asked to do, and what it did.

use serde::{Deserialize, Serialize};
use strum::{Display, EnumString, IntoStaticStr, VariantArray};

use crate::money::idempotency::Once;
use ports::id::DatasetId;

/// The format of an imported file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Display, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum ImportFormat {
    /// One JSON object per line.
    Jsonl,
    /// One row per line, with a header.
    Csv,
}

/// The options of an import.
pub struct ImportOptions {
    /// The dataset that receives the samples.
    pub dataset: DatasetId,
    pub format: ImportFormat,
    /// Returns the counts without writing anything.
    pub dry_run: bool,
    /// The client's `Idempotency-Key`, if it sent one.
    pub once: Option<Once>,
}

/// The result of an import, or of its dry run. Each line is counted once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Imported {
    /// Lines with a sample.
    pub lines: usize,
    /// Lines that became a sample.
    pub imported: usize,
    /// Lines with known content that brought a missing ground truth.
    pub labelled: usize,
    /// Lines with known content that brought nothing new.
    pub duplicates: usize,
}
