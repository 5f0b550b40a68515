//! The house rules, as far as a test can see them: who imports whom, how files open, what they are called.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;

/// Who may import whom.
const MAY_IMPORT: [(&str, &[&str]); 9] = [
    ("gavel", &["api", "domain", "engine", "migration", "outbound", "setup", "worker"]),
    ("api", &["domain"]),
    ("worker", &["domain"]),
    ("engine", &["domain"]),
    ("outbound", &["domain"]),
    ("setup", &["engine"]),
    ("domain", &["entity"]),
    ("entity", &[]),
    ("migration", &[]),
];
/// What makes the weights and what measures; nobody imports them.
const TOOLS: [(&str, &[&str]); 2] =
    [("training", &["domain", "engine"]), ("bench", &["api", "domain", "engine", "migration", "outbound"])];

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
        let rule = MAY_IMPORT.iter().chain(&TOOLS).find(|(who, _)| *who == name);
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
    let mut open = vec![root().to_owned()];
    let mut found = Vec::new();
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

/// Whom each top-level module of a crate uses of the others, by `crate::…` paths outside its unit tests.
fn module_graph(krate: &Path) -> BTreeMap<String, BTreeSet<String>> {
    let source = krate.join("src");
    let module = |path: &Path| {
        let first = path.strip_prefix(&source).ok()?.iter().next()?.to_string_lossy().into_owned();
        let name = first.strip_suffix(".rs").unwrap_or(&first).to_owned();
        (!["lib", "main"].contains(&name.as_str())).then_some(name)
    };
    let files: Vec<_> =
        sources().into_iter().filter_map(|(path, text)| Some((module(&path)?, text))).collect();
    let names: BTreeSet<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    let mut graph: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (name, text) in &files {
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        let code: String = code.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
        let used = code.split("crate::").skip(1).flat_map(first_segments);
        let used = used.filter(|used| names.contains(used.as_str()) && used != name);
        graph.entry(name.clone()).or_default().extend(used);
    }
    graph
}

/// The first segments of the paths that follow `crate::`: one name, or those of a `{…}` group.
fn first_segments(after: &str) -> Vec<String> {
    let word =
        |text: &str| text.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    let Some(group) = after.strip_prefix('{') else { return vec![word(after)] };
    let mut depth = 1;
    let mut items = Vec::new();
    let mut start = 0;
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 || (depth == 1 && c == ',') {
            items.push(word(&group[start..at]));
            start = at + 1;
        }
        if depth == 0 {
            break;
        }
    }
    items
}

#[test]
fn the_modules_of_a_crate_form_no_cycle() {
    let crates = std::fs::read_dir(root()).unwrap().map(|entry| entry.unwrap().path());
    let with_root = crates.chain([root().to_owned()]);
    let is_crate =
        |path: &PathBuf| ["src/lib.rs", "src/main.rs"].iter().any(|file| path.join(file).is_file());
    let crates: Vec<_> = with_root.filter(is_crate).collect();
    assert!(crates.len() >= 5, "the crates were not found");
    for krate in crates {
        let mut graph = module_graph(&krate);
        // Takes out whatever uses nothing that is left; what cannot be taken out is in a cycle, or uses one.
        while let Some(free) = graph
            .iter()
            .find(|(_, uses)| uses.iter().all(|used| !graph.contains_key(used)))
            .map(|(name, _)| name.clone())
        {
            graph.remove(&free);
        }
        assert!(graph.is_empty(), "modules of `{}` use each other in a circle: {graph:#?}", krate.display());
    }
}
