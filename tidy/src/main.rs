//! Checks the rules of STYLE.md that a program can check, before anything else is compiled.
//!
//! `cargo tidy` prints each violation as `path:line: message` and fails if there is any.
//! `--write-allowed` records today's violations in `tidy/allowed.toml`; `--report` prints figures.
//!
//! Read `checks.rs` first: it lists the checks, one module each.

mod allowed;
mod checks;
mod crates;
mod cycles;
mod finding;
mod graph;
mod layers;
mod modules;
mod report;
mod repository;
mod source;
mod style;
mod syntax;
mod text;

use std::{
    path::{Path, PathBuf},
    process::{Command, ExitCode},
};

use anyhow::{Context, Result, bail};

use crate::{allowed::Allowed, checks::CHECKS, repository::Repository};

#[expect(clippy::print_stdout, reason = "the findings are this program's output")]
fn main() -> Result<ExitCode> {
    let argument = std::env::args().nth(1);
    let root = repository_root()?;
    let repository = Repository::read(&root)?;
    match argument.as_deref() {
        None => {
            let complaints = complaints(&repository, &Allowed::read(&root.join(allowed::PATH))?);
            for complaint in &complaints {
                println!("{complaint}");
            }
            Ok(if complaints.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
        }
        Some("--write-allowed") => {
            write_allowed(&repository, &root.join(allowed::PATH))?;
            Ok(ExitCode::SUCCESS)
        }
        Some("--report") => {
            print!("{}", report::report(&repository));
            Ok(ExitCode::SUCCESS)
        }
        Some(other) => bail!("unknown argument `{other}`: give none, --write-allowed or --report"),
    }
}

/// The root of the repository that contains the working directory.
fn repository_root() -> Result<PathBuf> {
    let output = Command::new("git").args(["rev-parse", "--show-toplevel"]).output().context("run git")?;
    if !output.status.success() {
        bail!("{}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(String::from_utf8(output.stdout)?.trim_end().into())
}

/// What is wrong: violations that are not allowed, and allowances that are no longer needed.
fn complaints(repository: &Repository, allowed: &Allowed) -> Vec<String> {
    let names: Vec<&str> = CHECKS.iter().map(|check| check.name).collect();
    let mut complaints = allowed.unknown_checks(&names);
    for check in CHECKS {
        complaints.extend(allowed.complaints(check.name, &(check.run)(repository)));
    }
    complaints
}

fn write_allowed(repository: &Repository, path: &Path) -> Result<()> {
    let mut allowed = Allowed::default();
    for check in CHECKS {
        allowed.allow(check.name, &(check.run)(repository));
    }
    std::fs::write(path, allowed.to_string()).with_context(|| format!("write {}", path.display()))
}
