//! Checks the data directory: that it can be written, that only its owner can read it, and that there is space.

use std::{
    collections::BTreeMap,
    fs::{self, OpenOptions},
    os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
};

use figment::{
    Figment,
    providers::{Format as _, Toml},
};
use serde_json::Value;

use super::check::Check;
use crate::{config::Config, database::sqlite_file};

const MIB: u64 = 1 << 20;
/// With less, the next import or backup may fill the disk.
const FEW_BYTES: u64 = 2_048 * MIB;
/// With less, SQLite may soon be unable to write.
const TOO_FEW_BYTES: u64 = 128 * MIB;
/// Settings that are secrets, or URLs that may have a password.
const SECRETS: [&str; 6] =
    ["database_url", "redis_url", "smtp_url", "local_api_key", "openrouter_api_key", "diffusion_api_key"];

pub(super) fn check(file: Option<&Path>, config: &Config) -> Vec<Check> {
    let folder = std::path::absolute(&config.process.data_dir);
    let folder = folder.unwrap_or_else(|_| config.process.data_dir.clone());
    vec![writable(&folder), permissions(file, &folder, config), space(&folder, config)]
}

fn writable(folder: &Path) -> Check {
    const NAME: &str = "data_dir";
    let shown = folder.display();
    if !folder.exists() {
        return Check::ok(NAME, format!("{shown} is not there yet; the first start creates it"));
    }
    let probe = folder.join(format!("doctor-{}", std::process::id()));
    let written = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&probe);
    match written.and_then(|_| fs::remove_file(&probe)) {
        Ok(()) => Check::ok(NAME, format!("{shown} can be written")),
        Err(error) => Check::fail(
            NAME,
            format!("{shown} cannot be written: {error}"),
            format!("give {shown} to the user that runs Gavel, or set data_dir to another folder"),
        ),
    }
}

fn permissions(file: Option<&Path>, folder: &Path, config: &Config) -> Check {
    const NAME: &str = "permissions";
    let mut open: Vec<String> = private_files(folder, config)
        .into_iter()
        .filter(|path| mode(path) & 0o077 != 0)
        .map(|path| path.display().to_string())
        .collect();
    // A settings file may be readable by a group, such as that of the service.
    let settings = file.filter(|file| mode(file) & 0o007 != 0 && has_secrets(file));
    open.extend(settings.map(|file| file.display().to_string()));
    if open.is_empty() {
        return Check::ok(NAME, "others cannot read the data or secrets");
    }
    let found = format!("others can read {}", open.join(", "));
    Check::warn(NAME, found, format!("run `chmod go-rwx {}`", open.join(" ")))
}

/// The data directory, and the files with content, credentials or charges.
fn private_files(folder: &Path, config: &Config) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.contains(".sqlite") || name.starts_with("doubts-") || name == "demo.json" {
            files.push(entry.path());
        }
    }
    if folder.exists() {
        files.push(folder.to_owned());
    }
    files.extend(sqlite_file(&config.process.database_url()).and_then(|file| std::path::absolute(file).ok()));
    files.sort();
    files.dedup();
    files
}

/// The permissions of a file; none if it is not there.
fn mode(path: &Path) -> u32 {
    fs::metadata(path).map_or(0, |found| found.permissions().mode())
}

fn has_secrets(file: &Path) -> bool {
    let settings: BTreeMap<String, Value> = fs::read_to_string(file)
        .map(|text| Figment::from(Toml::string(&text)).extract().unwrap_or_default())
        .unwrap_or_default();
    SECRETS.iter().any(|name| {
        let value = settings.get(*name).and_then(Value::as_str).unwrap_or_default();
        if name.ends_with("_url") { value.contains('@') } else { !value.is_empty() }
    })
}

fn space(folder: &Path, config: &Config) -> Check {
    const NAME: &str = "disk";
    let sqlite = sqlite_file(&config.process.database_url()).and_then(|file| std::path::absolute(file).ok());
    let place = sqlite.as_deref().and_then(Path::parent).unwrap_or(folder);
    // A folder that is not there yet will be on the disk of the nearest that is.
    let Some(place) = place.ancestors().find(|place| place.exists()) else {
        return Check::warn(NAME, format!("no part of {} exists", place.display()), "create it");
    };
    let shown = place.display();
    let disk = match rustix::fs::statvfs(place) {
        Ok(disk) => disk,
        Err(error) => {
            return Check::warn(NAME, format!("free space in {shown} is unknown: {error}"), "look at `df`");
        }
    };
    let free = disk.f_bavail.saturating_mul(disk.f_frsize);
    let found = format!("{} MiB free in {shown}", free / MIB);
    let advice = "free space, or move the database: on a full disk nothing is stored and requests get 503";
    match free {
        ..TOO_FEW_BYTES => Check::fail(NAME, found, advice),
        TOO_FEW_BYTES..FEW_BYTES => Check::warn(NAME, found, advice),
        FEW_BYTES.. => Check::ok(NAME, found),
    }
}
