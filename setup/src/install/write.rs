//! Atomic writes, and a temporary folder.

use std::{
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
};

/// Writes `bytes` to `dir/name` atomically. A crash leaves at most a hidden file.
///
/// # Errors
/// The file, and why it cannot be written.
pub(super) fn write_atomically(dir: &Path, name: &str, bytes: &[u8]) -> Result<(), String> {
    let unfinished = dir.join(format!(".{name}.{}", std::process::id()));
    let write = || -> io::Result<()> {
        let mut file = File::create(&unfinished)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&unfinished, dir.join(name))
    };
    write().map_err(|error| {
        let _ = fs::remove_file(&unfinished);
        format!("{}: {error}", dir.join(name).display())
    })
}

/// A temporary folder that is removed when dropped.
pub(super) struct Temporary(PathBuf);

impl Temporary {
    /// # Errors
    /// No folder can be created.
    pub(super) fn new() -> Result<Self, String> {
        let parent = std::env::temp_dir();
        // Fails when the folder exists, so that a folder of somebody else's is never used.
        let mut tries = (0..100).map(|n| parent.join(format!("gavel-models-{}-{n}", std::process::id())));
        let dir = tries.find(|dir| fs::create_dir(dir).is_ok());
        dir.map(Temporary).ok_or_else(|| format!("no folder can be made in {}", parent.display()))
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
