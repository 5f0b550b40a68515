//! The formats of an exported file.

use strum::{Display, EnumString, IntoStaticStr, VariantArray};

/// The format of an exported file. Its text is the name on the wire and the file extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Display, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum ExportFormat {
    /// One JSON object per line.
    Jsonl,
    /// One row per line, with a header.
    Csv,
    Parquet,
}
