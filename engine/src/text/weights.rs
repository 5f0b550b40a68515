//! The embedded weights of the native models, and the manifests that name and pin them.

use serde::{Deserialize, Serialize};

use super::{
    error::NativeWeightError,
    host::{HostHead, HostModel},
    language::LanguagePenalties,
    linear::{LinearHead, LinearModel},
};
use crate::embedded::EmbeddedModel;

// Statics, since each use of a constant may embed a copy of its own.
static TEXT_TABLE: &[u8] = include_bytes!("../../../models/text-native.bin");
const TEXT_MANIFEST: &str = include_str!("../../../models/text-native.json");
static DOMAIN_TABLE: &[u8] = include_bytes!("../../../models/domain-native.bin");
const DOMAIN_MANIFEST: &str = include_str!("../../../models/domain-native.json");

/// The JSON file beside a weight file in `models/`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct NativeManifest<H> {
    /// The model's name, such as `gavel-text-native`.
    pub name: String,
    /// Changes with any change of the weights.
    pub version: String,
    /// The name of the weight file.
    pub file: String,
    /// The SHA-256 of the weight file, in hexadecimal.
    pub sha256: String,
    /// Scales, biases and calibration.
    pub heads: H,
    #[serde(default, skip_serializing_if = "LanguagePenalties::is_empty")]
    pub languages: LanguagePenalties,
}

/// The text model.
pub(super) struct TextModel {
    pub(super) linear: LinearModel,
    pub(super) languages: LanguagePenalties,
    /// Its name and version, such as `gavel-text-native-1.10.0`.
    pub(super) name: String,
}

/// Loads the text model.
///
/// # Errors
/// A manifest that cannot be parsed, or a table of the wrong length.
pub(super) fn text() -> Result<TextModel, NativeWeightError> {
    text_of(TEXT_MANIFEST, TEXT_TABLE)
}

/// The text model of a manifest and its table.
///
/// # Errors
/// Like [`text`].
pub(super) fn text_of(manifest: &str, table: &'static [u8]) -> Result<TextModel, NativeWeightError> {
    let NativeManifest { name, version, heads, languages, .. } =
        serde_json::from_str::<NativeManifest<Vec<LinearHead>>>(manifest)?;
    let linear = LinearModel::new(table, heads).ok_or(NativeWeightError::TableLength("text model"))?;
    Ok(TextModel { linear, languages, name: format!("{name}-{version}") })
}

/// Loads the domain-name model.
///
/// # Errors
/// A manifest that cannot be parsed, or a table of the wrong length.
pub fn hosts() -> Result<HostModel, NativeWeightError> {
    let manifest: NativeManifest<HostHead> = serde_json::from_str(DOMAIN_MANIFEST)?;
    HostModel::new(DOMAIN_TABLE, manifest.heads).ok_or(NativeWeightError::TableLength("domain-name model"))
}

/// Hashes both models in the binary: the text model and the domain-name model.
///
/// # Errors
/// A manifest that cannot be parsed.
pub(crate) fn embedded() -> Result<[EmbeddedModel; 2], NativeWeightError> {
    Ok([embedded_model(TEXT_MANIFEST, TEXT_TABLE)?, embedded_model(DOMAIN_MANIFEST, DOMAIN_TABLE)?])
}

fn embedded_model(manifest: &str, table: &'static [u8]) -> Result<EmbeddedModel, NativeWeightError> {
    let NativeManifest { name, version, file, sha256, .. } =
        serde_json::from_str::<NativeManifest<serde_json::Value>>(manifest)?;
    Ok(EmbeddedModel::new(name, version, file, table, &sha256))
}
