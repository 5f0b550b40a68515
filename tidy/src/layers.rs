//! The groups of a crate import only from themselves and from groups below them.

use crate::{
    finding::{Finding, Violation},
    repository::Repository,
};

/// The folder of a crate, and its groups from the bottom to the top.
const LAYERS: &[(&str, &[&str])] = &[(
    "domain/src",
    &[
        "foundation",
        "money",
        "background",
        "operations",
        "learning",
        "people",
        "batch",
        "services",
        "settings",
    ],
)];

pub fn check(repository: &Repository) -> Vec<Violation> {
    let mut violations = Vec::new();
    for krate in &repository.crates {
        let Some((_, groups)) = LAYERS.iter().find(|(folder, _)| *folder == krate.folder) else { continue };
        let mut outside: Vec<&str> = krate.files.iter().map(|file| krate.top_module(file)).collect();
        outside.retain(|module| *module != "lib" && !groups.contains(module));
        outside.dedup();
        for module in outside {
            let finding = Finding::new(1, format!("`{module}` is in none of the groups {groups:?}"));
            violations.push(finding.at(&format!("{}/{module}", krate.folder)));
        }
        for (from, to, line) in krate.graph.edges() {
            if let Some(low) = height(groups, krate.top_module(from))
                && let Some(high) = height(groups, krate.top_module(to))
                && low < high
            {
                let message = format!("`{}` must not use {to} of `{}` above it", groups[low], groups[high]);
                violations.push(Finding::new(line, message).at(from));
            }
        }
    }
    violations
}

fn height(groups: &[&str], module: &str) -> Option<usize> {
    groups.iter().position(|group| *group == module)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(background: &str, money: &str) -> Vec<String> {
        let repository = Repository::of(&[
            ("domain/src/lib.rs", "mod background; mod money;"),
            ("domain/src/background/mod.rs", "pub mod job;"),
            ("domain/src/background/job.rs", background),
            ("domain/src/money/mod.rs", "pub mod credits;"),
            ("domain/src/money/credits.rs", money),
        ]);
        check(&repository).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn an_import_from_a_group_above_is_found() {
        let found = found("pub struct Job;", "use crate::background::job::Job;");
        assert_eq!(
            found,
            ["domain/src/money/credits.rs:1: \
              `money` must not use domain/src/background/job.rs of `background` above it"]
        );
    }

    #[test]
    fn an_import_from_a_group_below_is_fine() {
        assert!(found("use crate::money::credits::Hold;", "pub struct Hold;").is_empty());
    }

    #[test]
    fn a_module_outside_the_groups_is_found() {
        let repository = Repository::of(&[("domain/src/lib.rs", "mod stray;"), ("domain/src/stray.rs", "")]);
        assert!(check(&repository)[0].message.contains("`stray` is in none of the groups"));
    }
}
