//! The house rules, as far as a test can see them: who imports whom, how files open, what they are called.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;

/// Who may import whom.
const MAY_IMPORT: [(&str, &[&str]); 8] = [
    ("gavel", &["api", "domain", "engine", "migration", "outbound", "worker"]),
    ("api", &["domain"]),
    ("worker", &["domain"]),
    ("engine", &["domain"]),
    ("outbound", &["domain"]),
    ("domain", &["entity"]),
    ("entity", &[]),
    ("migration", &[]),
];
/// Makes the weights; nobody imports it.
const TRAINING: (&str, &[&str]) = ("training", &["domain", "engine"]);

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn each_crate_imports_only_those_it_may() {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["metadata", "--no-deps", "--format-version", "1", "--offline"]).current_dir(root());
    let output = cargo.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let ours: BTreeSet<&str> = packages.iter().map(|package| package["name"].as_str().unwrap()).collect();
    for package in packages {
        let name = package["name"].as_str().unwrap();
        let rule = MAY_IMPORT.iter().chain([&TRAINING]).find(|(who, _)| *who == name);
        let (_, allowed) = rule.unwrap_or_else(|| panic!("no rule says whom the crate `{name}` may import"));
        // What tests alone use does not count.
        let imports =
            package["dependencies"].as_array().unwrap().iter().filter(|import| import["kind"] != "dev");
        for import in imports.map(|import| import["name"].as_str().unwrap()) {
            assert!(
                !ours.contains(import) || allowed.contains(&import),
                "`{name}` must not import `{import}`"
            );
        }
    }
}

#[test]
fn the_domain_knows_no_web_framework_no_redis_and_no_model_runtime() {
    for (krate, strangers) in [
        ("domain", &["axum", "redis", "ort", "rten", "candle", "tower", "hyper", "reqwest", "rustls"][..]),
        ("api", &["sea-orm", "sqlx", "entity", "migration", "engine"]),
        ("engine", &["sea-orm", "sqlx", "entity", "axum", "redis", "reqwest", "rustls"]),
        ("entity", &["async-graphql", "axum"]),
    ] {
        let manifest = std::fs::read_to_string(root().join(krate).join("Cargo.toml")).unwrap();
        for line in manifest.lines() {
            let name = line.split(['.', ' ', '=']).next().unwrap_or_default();
            assert!(!strangers.contains(&name), "`{krate}` must know nothing of {name}");
        }
    }
}

/// Every source file of ours, with its text.
fn sources() -> Vec<(PathBuf, String)> {
    let (mut open, mut found) = (vec![root().to_owned()], Vec::new());
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir()
                && !name.starts_with('.')
                && !["target", "node_modules", "data"].contains(&name.as_str())
            {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push((path.clone(), std::fs::read_to_string(&path).unwrap()));
            }
        }
    }
    assert!(found.len() > 50, "the sources were not found");
    found
}

#[test]
fn every_file_opens_by_saying_what_it_is() {
    for (path, text) in sources() {
        assert!(text.starts_with("//! "), "{} does not open with `//!`", path.display());
    }
}

#[test]
fn no_file_is_named_after_nothing() {
    let empty = ["utils", "util", "helpers", "helper", "common", "manager", "service", "misc"];
    for (path, _) in sources() {
        for part in path.strip_prefix(root()).unwrap().with_extension("").iter() {
            assert!(!empty.contains(&part.to_string_lossy().as_ref()), "{} says nothing", path.display());
        }
    }
}

#[test]
fn no_file_is_longer_than_five_hundred_lines() {
    for (path, text) in sources() {
        assert!(text.lines().count() <= 500, "{} is too long to read", path.display());
    }
}

#[test]
fn a_mod_rs_only_says_what_there_is() {
    for (path, text) in sources().into_iter().filter(|(path, _)| path.ends_with("mod.rs")) {
        // Every statement ends with a semicolon; comments and attributes are not statements.
        let code: String =
            text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join(" ");
        for statement in code.split(';').map(str::trim).filter(|statement| !statement.is_empty()) {
            let mut words = statement
                .split_whitespace()
                .skip_while(|word| word.starts_with("pub") || word.starts_with("#"));
            let first = words.find(|word| !word.ends_with(")]")).unwrap_or_default();
            assert!(["mod", "use"].contains(&first), "{}: `{statement}`", path.display());
        }
    }
}
