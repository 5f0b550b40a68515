//! The embedded weights of the native models, and the manifests that name and pin them.

use serde::{Deserialize, Serialize};

use super::host::{HostHead, Hosts};
use super::language::LanguagePenalties;
use super::linear::{Head, Linear};
use crate::embedded::Embedded;

// Statics, since each use of a constant may embed a copy of its own.
static TEXT_TABLE: &[u8] = include_bytes!("../../../models/text-native.bin");
const TEXT_MANIFEST: &str = include_str!("../../../models/text-native.json");
static DOMAIN_TABLE: &[u8] = include_bytes!("../../../models/domain-native.bin");
const DOMAIN_MANIFEST: &str = include_str!("../../../models/domain-native.json");

/// The JSON file beside a weight file in `models/`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Manifest<H> {
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
pub(super) struct Text {
    pub(super) linear: Linear,
    pub(super) languages: LanguagePenalties,
    /// Its name and version, such as `gavel-text-native-1.8.0`.
    pub(super) name: String,
}

/// Loads the text model.
///
/// # Errors
/// A manifest that cannot be parsed, or a table of the wrong length.
pub(super) fn text() -> Result<Text, String> {
    text_of(TEXT_MANIFEST, TEXT_TABLE)
}

/// The text model of a manifest and its table.
///
/// # Errors
/// Like [`text`].
pub(super) fn text_of(manifest: &str, table: &'static [u8]) -> Result<Text, String> {
    let Manifest { name, version, heads, languages, .. } = parse::<Vec<Head>>(manifest)?;
    let linear = Linear::new(table, heads).ok_or("the text model's table has the wrong length")?;
    Ok(Text { linear, languages, name: format!("{name}-{version}") })
}

/// Loads the domain-name model.
///
/// # Errors
/// A manifest that cannot be parsed, or a table of the wrong length.
pub fn hosts() -> Result<Hosts, String> {
    let manifest: Manifest<HostHead> = parse(DOMAIN_MANIFEST)?;
    Hosts::new(DOMAIN_TABLE, manifest.heads)
        .ok_or_else(|| "the domain model's table has the wrong length".into())
}

/// Hashes both models in the binary: the text model and the domain-name model.
///
/// # Errors
/// A manifest that cannot be parsed.
pub(crate) fn embedded() -> Result<[Embedded; 2], String> {
    let embedded = |manifest: &str, table: &[u8]| {
        let Manifest { name, version, file, sha256, .. } = parse::<serde_json::Value>(manifest)?;
        Ok::<_, String>(Embedded::new(name, version, file, table, &sha256))
    };
    Ok([embedded(TEXT_MANIFEST, TEXT_TABLE)?, embedded(DOMAIN_MANIFEST, DOMAIN_TABLE)?])
}

fn parse<H: serde::de::DeserializeOwned>(manifest: &str) -> Result<Manifest<H>, String> {
    serde_json::from_str(manifest).map_err(|cause| format!("a model's manifest does not parse: {cause}"))
}
