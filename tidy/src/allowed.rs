//! `allowed.toml`: for each check, how many violations each file may still contain. A number that is too high is an
//! error too, so the list only shrinks.

use std::{collections::BTreeMap, fmt, path::Path};

use anyhow::{Context, Result};

use crate::finding::Violation;

/// Where the file lies.
pub const PATH: &str = "tidy/allowed.toml";

const HEADER: &str = "\
# How many violations of each check of `tidy` each file may still contain. Only ever lower these numbers:
# `cargo tidy --write-allowed` writes this file anew, also after a merge conflict in it.
";

#[derive(Default)]
pub struct Allowed {
    /// By check, then by path.
    counts: BTreeMap<String, BTreeMap<String, usize>>,
}

impl Allowed {
    /// A missing file allows nothing.
    pub fn read(path: &Path) -> Result<Self> {
        if !path.exists() {
            return Ok(Self::default());
        }
        let text = std::fs::read_to_string(path).with_context(|| format!("read {}", path.display()))?;
        Self::parse(&text).with_context(|| format!("parse {}", path.display()))
    }

    fn parse(text: &str) -> Result<Self> {
        let mut allowed = Self::default();
        let mut check = String::new();
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            if let Some(name) = line.strip_prefix('[') {
                name.split(']').next().unwrap_or_default().clone_into(&mut check);
                allowed.counts.entry(check.clone()).or_default();
                continue;
            }
            let (path, count) = line.split_once(" = ").with_context(|| format!("no ` = ` in `{line}`"))?;
            let count = count.parse().with_context(|| format!("no number in `{line}`"))?;
            allowed.counts.entry(check.clone()).or_default().insert(path.trim_matches('"').to_owned(), count);
        }
        Ok(allowed)
    }

    pub fn allow(&mut self, check: &str, violations: &[Violation]) {
        let counts = self.counts.entry(check.to_owned()).or_default();
        for violation in violations {
            *counts.entry(violation.path.clone()).or_default() += 1;
        }
    }

    pub fn unknown_checks(&self, known: &[&str]) -> Vec<String> {
        let names = self.counts.keys().filter(|name| !known.contains(&name.as_str()));
        names.map(|name| format!("{PATH}: there is no check `{name}`")).collect()
    }

    /// All violations in files that contain more than they may, and all numbers that are too high.
    pub fn complaints(&self, check: &str, violations: &[Violation]) -> Vec<String> {
        let mut found: BTreeMap<&str, Vec<&Violation>> = BTreeMap::new();
        for violation in violations {
            found.entry(&violation.path).or_default().push(violation);
        }
        let empty = BTreeMap::new();
        let allowed = self.counts.get(check).unwrap_or(&empty);
        let mut complaints = Vec::new();
        for (path, violations) in &found {
            let limit = allowed.get(*path).copied().unwrap_or_default();
            if violations.len() > limit {
                let note = if limit > 0 { format!(" ({limit} allowed here)") } else { String::new() };
                complaints.extend(violations.iter().map(|violation| format!("{violation} [{check}]{note}")));
            }
        }
        for (path, limit) in allowed {
            let count = found.get(path.as_str()).map_or(0, Vec::len);
            if count < *limit {
                complaints.push(format!(
                    "{PATH}: [{check}] allows {limit} in {path}, which has {count}: run `cargo tidy --write-allowed`"
                ));
            }
        }
        complaints
    }
}

impl fmt::Display for Allowed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HEADER)?;
        for (check, counts) in self.counts.iter().filter(|(_, counts)| !counts.is_empty()) {
            let total: usize = counts.values().sum();
            writeln!(f, "\n[{check}] # {total}")?;
            for (path, count) in counts {
                writeln!(f, "\"{path}\" = {count}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn violations(count: usize) -> Vec<Violation> {
        (1..=count).map(|line| Violation { path: "a.rs".into(), line, message: "wrong".into() }).collect()
    }

    #[test]
    fn what_is_written_is_read() {
        let mut allowed = Allowed::default();
        allowed.allow("tuple-lets", &violations(2));
        let read = Allowed::parse(&allowed.to_string()).unwrap();
        assert_eq!(read.counts["tuple-lets"]["a.rs"], 2);
        assert!(read.complaints("tuple-lets", &violations(2)).is_empty());
    }

    #[test]
    fn one_violation_more_or_fewer_than_allowed_is_an_error() {
        let allowed = Allowed::parse("[unsafe] # 2\n\"a.rs\" = 2\n").unwrap();
        let more = allowed.complaints("unsafe", &violations(3));
        assert_eq!(more[0], "a.rs:1: wrong [unsafe] (2 allowed here)");
        assert_eq!(more.len(), 3);
        let fewer = allowed.complaints("unsafe", &violations(1));
        assert!(fewer[0].contains("allows 2 in a.rs, which has 1"), "{fewer:?}");
        assert_eq!(allowed.complaints("tuple-lets", &violations(1)).len(), 1);
    }

    #[test]
    fn an_unknown_check_is_an_error() {
        assert_eq!(Allowed::parse("[nonsense]").unwrap().unknown_checks(&["unsafe"]).len(), 1);
    }
}
