//! The weights in the binary, and the manifests that name and pin them. Reads no file at run time.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::host::{HostHead, Hosts};
use super::linear::{Head, Linear};
use crate::encoder::Weights;

const TEXT_TABLE: &[u8] = include_bytes!("../../../models/text-native.bin");
const TEXT_MANIFEST: &str = include_str!("../../../models/text-native.json");
const DOMAIN_TABLE: &[u8] = include_bytes!("../../../models/domain-native.bin");
const DOMAIN_MANIFEST: &str = include_str!("../../../models/domain-native.json");

/// What stands beside a weight file in `models/`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Manifest<H> {
    /// Name of the model, such as `gavel-text-native`.
    pub name: String,
    /// Its version; any change of its weights changes it.
    pub version: String,
    /// The weight file, beside the manifest.
    pub file: String,
    /// SHA-256 of the weight file, in hexadecimal.
    pub sha256: String,
    /// Scales, biases and calibration.
    pub heads: H,
}

/// One model in the binary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Embedded {
    /// Name of the model.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The weight file it was built from.
    pub file: String,
    /// Bytes of weights.
    pub bytes: usize,
    /// SHA-256 of the weights in the binary, in hexadecimal.
    pub sha256: String,
    /// Whether that is the hash its manifest records.
    pub intact: bool,
}

impl Embedded {
    /// An encoder's weight file, hashed now.
    ///
    /// # Errors
    /// What is no weight file.
    pub(crate) fn of_encoder(bytes: &[u8], expected: &str) -> Result<Self, String> {
        let weights = Weights::read(bytes)?;
        let sha256 = sha256(bytes);
        Ok(Self {
            intact: sha256 == expected,
            file: format!("{}-{}.safetensors", weights.name, weights.version),
            name: weights.name,
            version: weights.version,
            bytes: bytes.len(),
            sha256,
        })
    }
}

/// The text model and its `name-version`.
///
/// # Errors
/// A manifest that does not parse, or a table of the wrong length.
pub fn text() -> Result<(Linear, String), String> {
    let manifest: Manifest<Vec<Head>> = parse(TEXT_MANIFEST)?;
    let model =
        Linear::new(TEXT_TABLE, manifest.heads).ok_or("the text model's table has the wrong length")?;
    Ok((model, format!("{}-{}", manifest.name, manifest.version)))
}

/// The domain-name model.
///
/// # Errors
/// A manifest that does not parse, or a table of the wrong length.
pub fn hosts() -> Result<Hosts, String> {
    let manifest: Manifest<HostHead> = parse(DOMAIN_MANIFEST)?;
    Hosts::new(DOMAIN_TABLE, manifest.heads)
        .ok_or_else(|| "the domain model's table has the wrong length".into())
}

/// Every model in the binary, hashed now.
///
/// # Errors
/// A manifest that does not parse.
pub fn embedded() -> Result<Vec<Embedded>, String> {
    let text: Manifest<serde_json::Value> = parse(TEXT_MANIFEST)?;
    let domain: Manifest<serde_json::Value> = parse(DOMAIN_MANIFEST)?;
    let check = |manifest: Manifest<serde_json::Value>, table: &[u8]| {
        let sha256 = sha256(table);
        Embedded {
            intact: sha256 == manifest.sha256,
            name: manifest.name,
            version: manifest.version,
            file: manifest.file,
            bytes: table.len(),
            sha256,
        }
    };
    Ok(vec![
        check(text, TEXT_TABLE),
        super::hybrid::embedded()?,
        check(domain, DOMAIN_TABLE),
        crate::decision::embedded()?,
    ])
}

/// SHA-256 in hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn parse<H: serde::de::DeserializeOwned>(manifest: &str) -> Result<Manifest<H>, String> {
    serde_json::from_str(manifest).map_err(|cause| format!("a model's manifest does not parse: {cause}"))
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_weights_are_those_the_manifests_pin() {
        assert!(super::embedded().expect("manifests").iter().all(|model| model.intact));
    }
}
