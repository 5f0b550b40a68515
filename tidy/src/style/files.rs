//! What files are called and how they open: one module style, and a `mod.rs` that only says what there is.

use std::collections::BTreeSet;

use syn::{Item, Visibility};

use crate::{
    finding::{Finding, Violation},
    repository::Repository,
    source::Source,
    syntax::line_of,
};

/// They say where code was left, not what it does.
const BANNED_NAMES: [&str; 8] =
    ["utils", "util", "helpers", "helper", "common", "manager", "service", "misc"];

pub fn docs(source: &Source) -> Vec<Finding> {
    if source.extension() != "rs" || source.text.starts_with("//! ") {
        return Vec::new();
    }
    vec![Finding::new(1, "the file does not open with `//! ` and what it is for")]
}

pub fn names(source: &Source) -> Vec<Finding> {
    let path = source.path.strip_suffix(".rs").unwrap_or("");
    let banned = path.split('/').filter(|part| BANNED_NAMES.contains(part));
    banned.map(|part| Finding::new(1, format!("the name `{part}` does not say what is inside"))).collect()
}

pub fn mod_files(source: &Source) -> Vec<Finding> {
    let Some(syntax) = source.syntax.as_ref().filter(|_| source.path.ends_with("/mod.rs")) else {
        return Vec::new();
    };
    let others = syntax.items.iter().filter(|item| match item {
        Item::Mod(item) => item.content.is_some(),
        Item::Use(item) => matches!(item.vis, Visibility::Inherited),
        _ => true,
    });
    others.map(|item| Finding::new(line_of(item), "a mod.rs holds docs, `mod` and `pub use` only")).collect()
}

pub fn module_style(repository: &Repository) -> Vec<Violation> {
    let mut folders = BTreeSet::new();
    for source in &repository.sources {
        let path = source.path.as_str();
        if path.ends_with(".rs") {
            folders.extend(path.match_indices('/').map(|(end, _)| &path[..end]));
        }
    }
    let mut violations = Vec::new();
    for source in &repository.sources {
        if let Some(folder) = source.path.strip_suffix(".rs").filter(|folder| folders.contains(folder)) {
            let message = format!("a module with children is a folder: move this to {folder}/mod.rs");
            violations.push(Finding::new(1, message).at(&source.path));
        }
    }
    violations
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_without_docs_is_found() {
        let repository = Repository::of(&[("a.rs", "//! A.\n"), ("b.rs", "// B.\n"), ("c.py", "")]);
        assert_eq!(repository.each_file(docs)[0].path, "b.rs");
    }

    #[test]
    fn a_name_that_says_nothing_is_found() {
        let repository = Repository::of(&[("a/utils/b.rs", ""), ("utilities.rs", ""), ("a/helpers.rs", "")]);
        let paths: Vec<String> = repository.each_file(names).into_iter().map(|found| found.path).collect();
        assert_eq!(paths, ["a/utils/b.rs", "a/helpers.rs"]);
    }

    #[test]
    fn anything_else_in_a_mod_rs_is_found() {
        let code =
            "//! Docs.\nmod a;\npub use a::A;\nuse b::B;\nfn f() {}\nmod c { }\n#[cfg(test)]\nmod tests;\n";
        let found = Repository::of(&[("x/mod.rs", code), ("x/other.rs", code)]).each_file(mod_files);
        let lines: Vec<usize> = found.iter().map(|violation| violation.line).collect();
        assert_eq!(lines, [4, 5, 6]);
    }

    #[test]
    fn a_file_beside_its_folder_is_found() {
        let repository =
            Repository::of(&[("x/a.rs", ""), ("x/a/b.rs", ""), ("x/c/mod.rs", ""), ("x/d.rs", "")]);
        let found = module_style(&repository);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].path, "x/a.rs");
    }
}
