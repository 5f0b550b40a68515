//! Which file of a crate uses which: the module tree of a crate, and the paths that its code names.
//!
//! A path counts for the file that defines the item, wherever it is re-exported. Unit tests, `mod` declarations and the
//! re-exports of a `mod.rs` do not count.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::TokenStream;
use syn::{Item, UseTree, Visibility, visit::Visit};

use crate::{
    graph::Graph,
    source::Source,
    syntax::{is_test, item_name, line_of, macro_paths},
};

/// How many imports are followed from one name to its definition.
const MAX_DEPTH: usize = 16;

pub struct Crate {
    /// Where its sources lie: `domain/src`.
    pub folder: String,
    pub files: BTreeSet<String>,
    /// Which of its files uses which.
    pub graph: Graph,
}

struct ModuleTree<'a> {
    sources: BTreeMap<&'a str, &'a syn::File>,
    /// The first is the crate's root.
    modules: Vec<Module>,
}

#[derive(Default)]
struct Module {
    file: String,
    parent: usize,
    children: BTreeMap<String, usize>,
    defined: BTreeSet<String>,
    /// Imported names, and the paths they stand for.
    imports: BTreeMap<String, Vec<String>>,
    globs: Vec<Vec<String>>,
    uses: Vec<Use>,
}

struct Use {
    path: Vec<String>,
    line: usize,
}

/// What a path leads to: a module, or an item that a module defines.
enum Target {
    Module(usize),
    ItemOf(usize),
}

impl Crate {
    pub fn load(sources: &[Source], root: &Source) -> Self {
        let folder = root.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let inside = sources.iter().filter(|source| source.path.starts_with(folder));
        let parsed = inside.filter_map(|source| Some((source.path.as_str(), source.syntax.as_ref()?)));
        let mut tree = ModuleTree { sources: parsed.collect(), modules: Vec::new() };
        if let Some(syntax) = &root.syntax {
            tree.add(&root.path, folder, &syntax.items);
        }
        let graph = tree.file_graph();
        let files = tree.modules.into_iter().map(|module| module.file).collect();
        Self { folder: folder.to_owned(), files, graph }
    }

    /// Which of the modules that the crate's root declares uses which.
    pub fn module_graph(&self) -> Graph {
        self.graph.grouped(|file| self.top_module(file).to_owned())
    }

    /// The top-level module that a file belongs to: `job` for `domain/src/job/run.rs`.
    pub fn top_module<'a>(&self, file: &'a str) -> &'a str {
        let inside = file.strip_prefix(&self.folder).unwrap_or(file).trim_start_matches('/');
        let first = inside.split('/').next().unwrap_or(inside);
        first.strip_suffix(".rs").unwrap_or(first)
    }
}

impl ModuleTree<'_> {
    /// Adds a module and, after it, those inside it, whose files lie in `folder`. Returns its index.
    fn add(&mut self, file: &str, folder: &str, items: &[Item]) -> usize {
        let index = self.modules.len();
        let mut module = Module { file: file.to_owned(), ..Module::default() };
        let mut children = Vec::new();
        for item in items.iter().filter(|item| !is_test(item)) {
            match item {
                Item::Mod(child) => children.push(child),
                _ => module.collect(item),
            }
        }
        self.modules.push(module);
        for child in children {
            let name = child.ident.to_string();
            let inside = format!("{folder}/{name}");
            let added = if let Some((_, items)) = &child.content {
                self.add(file, &inside, items)
            } else {
                let candidates = [format!("{inside}.rs"), format!("{inside}/mod.rs")];
                let sources = &self.sources;
                let found = candidates.iter().find_map(|path| Some((path, *sources.get(path.as_str())?)));
                let Some((file, syntax)) = found else { continue };
                self.add(file, &inside, &syntax.items)
            };
            self.modules[added].parent = index;
            self.modules[index].children.insert(name, added);
        }
        index
    }

    /// The edges between the crate's files.
    fn file_graph(&self) -> Graph {
        let mut graph = Graph::default();
        for (index, module) in self.modules.iter().enumerate() {
            for used in &module.uses {
                if let Some(Target::ItemOf(definer)) = self.resolve(index, &used.path, 0) {
                    graph.add(&module.file, &self.modules[definer].file, used.line);
                }
            }
        }
        graph
    }

    /// What a path means that is written in the module `from`; nothing if it leads out of the crate.
    fn resolve(&self, from: usize, path: &[String], depth: usize) -> Option<Target> {
        let mut module = from;
        let mut rest = path;
        while let Some(first) = rest.first() {
            match first.as_str() {
                "crate" => module = 0,
                "self" => {}
                "super" => module = self.modules[module].parent,
                _ => break,
            }
            rest = &rest[1..];
        }
        // An import that begins with an unknown name comes from another crate, not from a glob import beside it.
        let relative = rest.len() == path.len();
        if depth > 0 && relative && !rest.first().is_some_and(|name| self.modules[module].knows(name)) {
            return None;
        }
        self.descend(module, rest, depth)
    }

    fn descend(&self, index: usize, path: &[String], depth: usize) -> Option<Target> {
        let module = &self.modules[index];
        let Some(name) = path.first() else { return Some(Target::Module(index)) };
        let rest = &path[1..];
        if depth > MAX_DEPTH {
            return None;
        }
        // A function may have the name of a module; then a path that ends there means the function.
        if module.defined.contains(name) && (rest.is_empty() || !module.children.contains_key(name)) {
            return Some(Target::ItemOf(index));
        }
        if let Some(child) = module.children.get(name) {
            return self.descend(*child, rest, depth);
        }
        if let Some(import) = module.imports.get(name) {
            return match self.resolve(index, import, depth + 1)? {
                Target::Module(module) => self.descend(module, rest, depth + 1),
                item => Some(item),
            };
        }
        module.globs.iter().find_map(|glob| match self.resolve(index, glob, depth + 1)? {
            Target::Module(module) if module != index => self.descend(module, path, depth + 1),
            _ => None,
        })
    }
}

impl Module {
    fn knows(&self, name: &str) -> bool {
        self.defined.contains(name) || self.children.contains_key(name) || self.imports.contains_key(name)
    }

    /// Notes what an item defines, imports and uses.
    fn collect(&mut self, item: &Item) {
        if let Some(name) = item_name(item) {
            self.defined.insert(name);
        }
        self.visit_item(item);
    }

    fn use_tokens(&mut self, tokens: &TokenStream) {
        self.uses
            .extend(macro_paths(tokens).into_iter().map(|path| Use { path: path.names, line: path.line }));
    }

    fn import(&mut self, tree: &UseTree, prefix: &[String], counts: bool) {
        let mut path = prefix.to_vec();
        let (ident, name) = match tree {
            UseTree::Path(inner) => {
                path.push(inner.ident.to_string());
                return self.import(&inner.tree, &path, counts);
            }
            UseTree::Group(group) => {
                return group.items.iter().for_each(|item| self.import(item, prefix, counts));
            }
            UseTree::Glob(_) => return self.globs.push(path),
            UseTree::Name(name) => (&name.ident, &name.ident),
            UseTree::Rename(rename) => (&rename.ident, &rename.rename),
        };
        let mut name = name.to_string();
        if ident != "self" {
            path.push(ident.to_string());
        } else if name == "self" {
            name = path.last().cloned().unwrap_or_default();
        }
        if counts {
            self.uses.push(Use { path: path.clone(), line: line_of(ident) });
        }
        self.imports.insert(name, path);
    }
}

impl Visit<'_> for Module {
    fn visit_item_use(&mut self, item: &syn::ItemUse) {
        let re_export = !matches!(item.vis, Visibility::Inherited);
        let counts = !(re_export && (self.file.ends_with("/mod.rs") || self.file.ends_with("src/lib.rs")));
        if item.leading_colon.is_none() {
            self.import(&item.tree, &[], counts);
        }
    }

    fn visit_path(&mut self, path: &syn::Path) {
        let names = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        self.uses.push(Use { path: names, line: path.segments[0].ident.span().start().line });
        syn::visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, invocation: &syn::Macro) {
        self.use_tokens(&invocation.tokens);
        syn::visit::visit_macro(self, invocation);
    }

    fn visit_meta_list(&mut self, list: &syn::MetaList) {
        self.use_tokens(&list.tokens);
    }
}

#[cfg(test)]
mod tests {
    use crate::repository::Repository;

    /// The edges of a crate `x` as `from>to`, without its folder.
    fn edges(files: &[(&str, &str)]) -> Vec<String> {
        let files: Vec<_> = files.iter().map(|(path, text)| (format!("x/src/{path}"), *text)).collect();
        let files: Vec<_> = files.iter().map(|(path, text)| (path.as_str(), *text)).collect();
        let repository = Repository::of(&files);
        let graph = &repository.crates[0].graph;
        graph.edges().map(|(from, to, _)| format!("{from}>{to}").replace("x/src/", "")).collect()
    }

    #[test]
    fn imports_and_inline_paths_are_edges() {
        let found = edges(&[
            ("lib.rs", "mod a; mod b; mod c;"),
            ("a.rs", "use crate::b::{B, other as o}; fn f() { super::c::g() }"),
            ("b.rs", "pub struct B; pub fn other() {}"),
            ("c.rs", "pub fn g() {}"),
        ]);
        assert_eq!(found, ["a.rs>b.rs", "a.rs>c.rs"]);
    }

    #[test]
    fn a_re_export_leads_to_the_file_that_defines_the_item() {
        let found = edges(&[
            ("lib.rs", "mod a; mod b;"),
            ("a.rs", "use crate::b; fn f(x: b::B) -> b::C { b::C }"),
            ("b/mod.rs", "mod deep; mod other; pub use deep::B; pub use other::*;"),
            ("b/deep.rs", "pub struct B;"),
            ("b/other.rs", "pub enum C { D }"),
        ]);
        assert_eq!(found, ["a.rs>b/deep.rs", "a.rs>b/other.rs"]);
    }

    #[test]
    fn paths_in_macros_attributes_and_local_imports_are_edges() {
        let found = edges(&[
            ("lib.rs", "mod a; mod b; mod c; mod d;"),
            (
                "a.rs",
                "#[derive(crate::d::D)] struct X; fn f() { use crate::c::C; print!(\"{}\", crate::b::B) }",
            ),
            ("b.rs", "pub const B: u8 = 1;"),
            ("c.rs", "pub struct C;"),
            ("d.rs", "pub struct D;"),
        ]);
        assert_eq!(found, ["a.rs>b.rs", "a.rs>c.rs", "a.rs>d.rs"]);
    }

    #[test]
    fn glob_imports_count_for_the_names_that_are_used() {
        let found = edges(&[
            ("lib.rs", "mod a; mod b;"),
            ("a.rs", "use super::b::*; fn f() { g() }"),
            ("b.rs", "pub fn g() {}"),
        ]);
        assert_eq!(found, ["a.rs>b.rs"]);
    }

    #[test]
    fn unit_tests_and_declarations_are_no_edges() {
        let found = edges(&[
            ("lib.rs", "mod a; mod b; pub use a::A;"),
            ("a.rs", "pub struct A; #[cfg(test)] mod tests { use crate::b::B; }"),
            ("b.rs", "pub struct B; #[cfg(test)] fn f(_: crate::a::A) {}"),
        ]);
        assert_eq!(found, [""; 0]);
    }
}
