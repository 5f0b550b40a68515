//! Files that are there whole or not at all, and a folder that goes away with its owner.

use std::{
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
};

/// Writes `bytes` to `dir/name`. A reader sees the old file or the new one; a crash leaves at most a hidden file.
///
/// # Errors
/// The name of the file, and why it cannot be written.
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

/// A folder of our own among the system's temporary files, removed when dropped.
pub(super) struct Temporary(PathBuf);

impl Temporary {
    /// # Errors
    /// Why no folder can be made.
    pub(super) fn new() -> Result<Self, String> {
        let parent = std::env::temp_dir();
        // Fails when the folder exists: one that somebody else made is never used.
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
