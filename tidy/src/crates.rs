//! Which crates may depend on which, by their `Cargo.toml`. What only tests use does not count.

use crate::{
    finding::{Finding, Violation},
    repository::Repository,
    source::Source,
};

/// Which crates of the workspace each crate may import.
const MAY_IMPORT: &[(&str, &[&str])] = &[
    ("gavel", &["api", "domain", "engine", "migration", "outbound", "ports", "setup", "worker"]),
    ("api", &["domain", "ports"]),
    ("worker", &["domain", "ports"]),
    ("engine", &["ports"]),
    ("outbound", &["domain", "ports"]),
    ("setup", &["engine", "ports"]),
    ("domain", &["entity", "ports"]),
    ("ports", &[]),
    ("entity", &[]),
    ("migration", &[]),
    // Nobody imports the tools.
    ("training", &["domain", "engine", "ports"]),
    ("bench", &["api", "domain", "engine", "migration", "outbound", "ports"]),
    ("tidy", &[]),
];

/// Crates from outside that a crate must not use: the domain knows no web framework, no Redis and no model runtime.
const MUST_NOT_USE: &[(&str, &[&str])] = &[
    ("domain", &["axum", "redis", "ort", "rten", "tower", "hyper", "reqwest", "rustls"]),
    ("api", &["sea-orm", "sqlx", "entity", "migration", "engine"]),
    ("engine", &["sea-orm", "sqlx", "entity", "axum", "redis", "reqwest", "rustls"]),
    ("entity", &["async-graphql", "axum"]),
    ("ports", &["sea-orm", "sqlx", "axum", "redis", "reqwest", "tokio"]),
];

/// A line of a manifest that names a crate.
struct Dependency<'a> {
    line: usize,
    name: &'a str,
}

/// The dependencies of a manifest, whatever their target; not the `dev-dependencies`.
fn dependencies(manifest: &str) -> Vec<Dependency<'_>> {
    let mut found = Vec::new();
    let mut inside = false;
    for (number, line) in manifest.lines().enumerate() {
        if let Some(header) = line.strip_prefix('[') {
            let single = header.split_once("dependencies.").filter(|(before, _)| before.is_empty());
            if let Some((_, name)) = single {
                found.push(Dependency { line: number + 1, name: name.trim_end_matches(']') });
            }
            inside = line.ends_with("dependencies]") && !line.contains("dev-") && !line.contains("workspace");
        } else if inside && line.starts_with(|c: char| c.is_ascii_alphabetic()) {
            let name = line.split(['.', ' ', '=']).next().unwrap_or_default();
            found.push(Dependency { line: number + 1, name });
        }
    }
    found
}

fn name(manifest: &str) -> Option<&str> {
    let line = manifest.lines().find_map(|line| line.strip_prefix("name = "))?;
    Some(line.trim_matches('"'))
}

fn rule<'a>(rules: &'a [(&str, &[&str])], krate: &str) -> Option<&'a [&'a str]> {
    rules.iter().find(|(name, _)| *name == krate).map(|(_, crates)| *crates)
}

pub fn imports(repository: &Repository) -> Vec<Violation> {
    let manifests: Vec<&Source> =
        repository.sources.iter().filter(|source| source.path.ends_with("Cargo.toml")).collect();
    let ours: Vec<&str> = manifests.iter().filter_map(|manifest| name(&manifest.text)).collect();
    let mut violations = Vec::new();
    for manifest in manifests {
        let Some(krate) = name(&manifest.text) else { continue };
        let Some(allowed) = rule(MAY_IMPORT, krate) else {
            let finding = Finding::new(1, format!("no rule says which crates `{krate}` may import"));
            violations.push(finding.at(&manifest.path));
            continue;
        };
        for dependency in dependencies(&manifest.text) {
            if ours.contains(&dependency.name) && !allowed.contains(&dependency.name) {
                let message = format!("`{krate}` must not import `{}`", dependency.name);
                violations.push(Finding::new(dependency.line, message).at(&manifest.path));
            }
        }
    }
    violations
}

pub fn foreign(repository: &Repository) -> Vec<Violation> {
    let mut violations = Vec::new();
    for manifest in repository.sources.iter().filter(|source| source.path.ends_with("Cargo.toml")) {
        let krate = name(&manifest.text).unwrap_or_default();
        let forbidden = rule(MUST_NOT_USE, krate).unwrap_or_default();
        for dependency in dependencies(&manifest.text) {
            if forbidden.contains(&dependency.name) {
                let message = format!("`{krate}` must not use `{}`", dependency.name);
                violations.push(Finding::new(dependency.line, message).at(&manifest.path));
            }
        }
    }
    violations
}

#[cfg(test)]
mod tests {
    use super::*;

    const API: &str = "[package]\nname = \"api\"\n\n[dependencies]\ndomain.workspace = true\n";

    #[test]
    fn an_import_upwards_is_found() {
        let domain = "[package]\nname = \"domain\"\n[dependencies]\napi = { workspace = true }\n";
        let repository = Repository::of(&[("api/Cargo.toml", API), ("domain/Cargo.toml", domain)]);
        let found = imports(&repository);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].to_string(), "domain/Cargo.toml:4: `domain` must not import `api`");
    }

    #[test]
    fn an_import_for_tests_is_not() {
        let domain = "[package]\nname = \"domain\"\n[dev-dependencies]\napi.workspace = true\n";
        let repository = Repository::of(&[("api/Cargo.toml", API), ("domain/Cargo.toml", domain)]);
        assert!(imports(&repository).is_empty());
    }

    #[test]
    fn a_crate_without_a_rule_is_found() {
        let repository = Repository::of(&[("new/Cargo.toml", "[package]\nname = \"new\"\n")]);
        assert_eq!(imports(&repository).len(), 1);
    }

    #[test]
    fn a_foreign_crate_is_found_also_for_one_target() {
        let api = "[package]\nname = \"api\"\n[target.'cfg(unix)'.dependencies]\nsqlx = \"1\"\n";
        let found = foreign(&Repository::of(&[("api/Cargo.toml", api)]));
        assert_eq!(found[0].to_string(), "api/Cargo.toml:4: `api` must not use `sqlx`");
    }
}
