//! Atomic writes, and a temporary folder.

use std::{
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
};

use super::error::SetupError;

/// Writes `bytes` to `dir/name` atomically. A crash leaves at most a hidden file.
///
/// # Errors
/// If the file cannot be written.
pub(super) fn write_atomically(dir: &Path, name: &str, bytes: &[u8]) -> Result<(), SetupError> {
    let unfinished = dir.join(format!(".{name}.{}", std::process::id()));
    let path = dir.join(name);
    write_and_rename(&unfinished, &path, bytes).map_err(|error| {
        let _ = fs::remove_file(&unfinished);
        SetupError::io(&path, error)
    })
}

fn write_and_rename(unfinished: &Path, path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::create(unfinished)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(unfinished, path)
}

/// A temporary folder that is removed when dropped.
pub(super) struct Temporary(PathBuf);

impl Temporary {
    /// # Errors
    /// If no folder can be created.
    pub(super) fn new() -> Result<Self, SetupError> {
        let parent = std::env::temp_dir();
        // Fails if the folder exists, so that somebody else's folder is never used.
        let mut tries = (0..100).map(|n| parent.join(format!("gavel-models-{}-{n}", std::process::id())));
        let dir = tries.find(|dir| fs::create_dir(dir).is_ok());
        dir.map(Temporary).ok_or_else(|| SetupError::NoTemporaryFolder(parent.display().to_string()))
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
