//! All that the checks look at: the source files of the repository and the modules of its crates.

use std::{path::Path, process::Command};

use anyhow::{Context, Result, ensure};

use crate::{
    finding::{Finding, Violation},
    modules::Crate,
    source::Source,
};

/// Extensions of the files that are read.
const EXTENSIONS: [&str; 10] = ["rs", "ts", "tsx", "mjs", "js", "py", "sh", "toml", "yaml", "css"];

pub struct Repository {
    pub sources: Vec<Source>,
    /// Those that have a `src/lib.rs` or `src/main.rs`.
    pub crates: Vec<Crate>,
}

impl Repository {
    /// Reads the files that git tracks, and new ones that it does not ignore.
    pub fn read(root: &Path) -> Result<Self> {
        let mut git = Command::new("git");
        git.args(["ls-files", "--cached", "--others", "--exclude-standard"]).current_dir(root);
        let output = git.output().context("run git ls-files")?;
        ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let mut sources = Vec::new();
        for path in String::from_utf8(output.stdout)?.lines() {
            let file = root.join(path);
            let extension = Path::new(path).extension().and_then(|extension| extension.to_str());
            // A file that was deleted but not yet staged is still listed.
            if extension.is_some_and(|extension| EXTENSIONS.contains(&extension)) && file.is_file() {
                let text = std::fs::read_to_string(&file).with_context(|| format!("read {path}"))?;
                sources.push(Source::new(path, text)?);
            }
        }
        Ok(Self::new(sources))
    }

    /// A repository of the given paths and texts.
    #[cfg(test)]
    pub fn of(files: &[(&str, &str)]) -> Self {
        let sources = files.iter().map(|(path, text)| Source::new(path, (*text).to_owned()).unwrap());
        Self::new(sources.collect())
    }

    fn new(sources: Vec<Source>) -> Self {
        let roots = sources
            .iter()
            .filter(|source| source.path.ends_with("src/lib.rs") || source.path.ends_with("src/main.rs"));
        let crates = roots.map(|root| Crate::load(&sources, root)).collect();
        Self { sources, crates }
    }

    pub fn rust(&self) -> impl Iterator<Item = &syn::File> {
        self.sources.iter().filter_map(|source| source.syntax.as_ref())
    }

    /// Applies a check of single files to all of them.
    pub fn each_file(&self, check: fn(&Source) -> Vec<Finding>) -> Vec<Violation> {
        let mut violations = Vec::new();
        for source in &self.sources {
            violations.extend(check(source).into_iter().map(|finding| finding.at(&source.path)));
        }
        violations
    }

    /// Applies a check of single Rust files to all of them.
    pub fn each_rust_file(&self, check: fn(&syn::File) -> Vec<Finding>) -> Vec<Violation> {
        let mut violations = Vec::new();
        for source in &self.sources {
            let findings = source.syntax.as_ref().map(check).unwrap_or_default();
            violations.extend(findings.into_iter().map(|finding| finding.at(&source.path)));
        }
        violations
    }
}
