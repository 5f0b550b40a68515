//! Rules for the text of files in any language.

use crate::{finding::Finding, source::Source};

/// Top-level folders that exist on one machine only, or belong to one user of it.
const MACHINE_FOLDERS: [&str; 3] = ["home", "root", "work"];
/// Words that mark unfinished work.
const MARKERS: [&str; 2] = [concat!("TO", "DO"), concat!("FIX", "ME")];

pub fn shell_options(source: &Source) -> Vec<Finding> {
    let first = source.text.lines().find(|line| !line.is_empty() && !line.starts_with('#'));
    if source.extension() != "sh" || first == Some("set -euo pipefail") {
        return Vec::new();
    }
    vec![Finding::new(1, "the script does not begin with `set -euo pipefail`")]
}

pub fn machine_paths(source: &Source) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (number, line) in shipped_lines(source) {
        let folder = MACHINE_FOLDERS.iter().find(|folder| names_path(line, &format!("/{folder}/")));
        if let Some(folder) = folder {
            findings.push(Finding::new(number, format!("`/{folder}/` exists on some machines only")));
        }
    }
    findings
}

/// Whether a line contains a path that begins with `start`.
fn names_path(line: &str, start: &str) -> bool {
    line.match_indices(start).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || "._-/})$".contains(c))
    })
}

pub fn unfinished(source: &Source) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (number, line) in shipped_lines(source) {
        let mut words = line.split(|c: char| !c.is_alphanumeric());
        if let Some(word) = words.find(|word| MARKERS.contains(word)) {
            findings.push(Finding::new(number, format!("{word}: do it, or file it elsewhere")));
        }
    }
    findings
}

/// The numbered lines of a file that are not tests, whose text may say anything.
fn shipped_lines(source: &Source) -> impl Iterator<Item = (usize, &str)> {
    let name = source.path.rsplit('/').next().unwrap_or_default();
    let is_test = source.path.split('/').any(|folder| folder == "tests")
        || name.starts_with("test")
        || name.contains(".test.");
    let lines = source.text.lines().take_while(move |line| !is_test && *line != "mod tests {");
    lines.enumerate().map(|(index, line)| (index + 1, line))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repository::Repository;

    #[test]
    fn a_script_without_options_is_found() {
        let good = "#!/usr/bin/env bash\n# What it does.\n\nset -euo pipefail\n";
        let repository =
            Repository::of(&[("good.sh", good), ("bad.sh", "#!/bin/bash\necho\nset -euo pipefail\n")]);
        let found = repository.each_file(shell_options);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].path, "bad.sh");
    }

    #[test]
    fn a_machine_path_is_found_outside_tests() {
        let text = "x = 1\nmodel = \"/home/me/model\"\nurl = \"https://x.org/home/\"\n";
        let repository = Repository::of(&[("a.py", text), ("tests/a.py", text)]);
        let found = repository.each_file(machine_paths);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].to_string(), "a.py:2: `/home/` exists on some machines only");
    }

    #[test]
    fn unfinished_work_is_found_outside_unit_tests() {
        let text = "#[cfg(test)]\nmod other;\nfn f() {} // TODO: more\nmod tests {\n/* FIXME */ }\n";
        let found = Repository::of(&[("a.rs", text), ("b.rs", "// TODOS\n")]).each_file(unfinished);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].line, 3);
    }
}
