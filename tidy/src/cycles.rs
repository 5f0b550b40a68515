//! No cycles between the files of a crate, nor between its top-level modules.

use crate::{
    finding::{Finding, Violation},
    repository::Repository,
};

/// The GraphQL types, which refer to each other as the schema's types do: a Judge has Checkpoints, and a Checkpoint
/// has its Judge. Cycles that stay among their files are allowed.
const SCHEMA_TYPES: &str = "api/src/graphql/model/";

pub fn between_files(repository: &Repository) -> Vec<Violation> {
    let mut violations = Vec::new();
    for krate in &repository.crates {
        for edge in krate.graph.cycle_edges() {
            if edge.way_back.iter().all(|file| file.starts_with(SCHEMA_TYPES)) {
                continue;
            }
            let way: Vec<&str> = edge.way_back.iter().map(|file| short(file, &krate.folder)).collect();
            let message = format!("uses {}, which leads back here: {}", edge.to, way.join(" -> "));
            violations.push(Finding::new(edge.line, message).at(edge.from));
        }
    }
    violations
}

fn short<'a>(file: &'a str, folder: &str) -> &'a str {
    file.strip_prefix(folder).unwrap_or(file).trim_start_matches('/')
}

pub fn between_modules(repository: &Repository) -> Vec<Violation> {
    let mut violations = Vec::new();
    for krate in &repository.crates {
        for edge in krate.module_graph().cycle_edges() {
            let way = edge.way_back.join(" -> ");
            let message = format!("the module uses `{}`, which leads back here: {way}", edge.to);
            violations.push(Finding::new(1, message).at(&format!("{}/{}", krate.folder, edge.from)));
        }
    }
    violations
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cycle_of_three_files_is_found() {
        let repository = Repository::of(&[
            ("x/src/lib.rs", "mod a; mod b; mod c;"),
            ("x/src/a.rs", "\nuse crate::b::B; pub struct A;"),
            ("x/src/b.rs", "use crate::c::C; pub struct B;"),
            ("x/src/c.rs", "use crate::a::A; pub struct C;"),
        ]);
        let found = between_files(&repository);
        assert_eq!(found.len(), 3);
        assert_eq!(
            found[0].to_string(),
            "x/src/a.rs:2: uses x/src/b.rs, which leads back here: b.rs -> c.rs -> a.rs"
        );
    }

    #[test]
    fn graphql_types_may_be_in_a_cycle_among_themselves() {
        let repository = Repository::of(&[
            ("api/src/lib.rs", "mod graphql;"),
            ("api/src/graphql/mod.rs", "mod loaders; mod model;"),
            ("api/src/graphql/loaders.rs", "use super::model::b::B; pub struct Loader;"),
            ("api/src/graphql/model/mod.rs", "mod a; pub mod b; mod c;"),
            ("api/src/graphql/model/a.rs", "use super::b::B; pub struct A;"),
            ("api/src/graphql/model/b.rs", "use super::{a::A, c::C}; pub struct B;"),
            ("api/src/graphql/model/c.rs", "use crate::graphql::loaders::Loader; pub struct C;"),
        ]);
        let found = between_files(&repository);
        let edges: Vec<&str> = found.iter().map(|violation| violation.path.as_str()).collect();
        let cycle =
            ["api/src/graphql/loaders.rs", "api/src/graphql/model/b.rs", "api/src/graphql/model/c.rs"];
        assert_eq!(edges, cycle);
    }

    #[test]
    fn modules_may_be_in_a_cycle_though_their_files_are_not() {
        let repository = Repository::of(&[
            ("x/src/lib.rs", "mod a; mod b;"),
            ("x/src/a/mod.rs", "pub mod high; pub mod low;"),
            ("x/src/a/high.rs", "use crate::b::B;"),
            ("x/src/a/low.rs", "pub struct L;"),
            ("x/src/b.rs", "use crate::a::low::L; pub struct B;"),
        ]);
        assert!(between_files(&repository).is_empty());
        assert_eq!(between_modules(&repository).len(), 2);
    }
}
