//! Figures about the code, to be compared over time.

use std::fmt::Write;

use syn::{Expr, Stmt};

use crate::{
    checks::CHECKS,
    repository::Repository,
    style::{closures::local_closures, tuple_lets},
    syntax::{Function, functions},
};

pub fn report(repository: &Repository) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write_dialect(&mut text, repository)
        .and_then(|()| write_checks(&mut text, repository))
        .and_then(|()| write_crates(&mut text, repository));
    text
}

fn write_dialect(text: &mut String, repository: &Repository) -> std::fmt::Result {
    let rust = repository.sources.iter().filter(|source| source.syntax.is_some());
    let lines: usize = rust.map(|source| source.text.lines().count()).sum();
    let tuple_lets = repository.rust().map(|file| tuple_lets::check(file).len()).sum();
    let closures = repository.rust().map(|file| local_closures(file).len()).sum();
    let as_str = repository.rust().flat_map(functions).filter(is_as_str_by_hand).count();
    writeln!(text, "Rust: {} files, {lines} lines\n", repository.rust().count())?;
    writeln!(text, "{:<26}{:>7}  per 1,000 lines", "", "count")?;
    for (name, count) in
        [("tuple lets", tuple_lets), ("local closures", closures), ("as_str by hand", as_str)]
    {
        writeln!(text, "{name:<26}{count:>7}{:>8.2}", 1_000.0 * count as f64 / lines as f64)?;
    }
    Ok(())
}

/// A function `as_str` that matches variants itself.
fn is_as_str_by_hand(function: &Function<'_>) -> bool {
    let statements = function.body.map(|body| body.stmts.as_slice()).unwrap_or_default();
    let matches = statements.iter().any(|statement| matches!(statement, Stmt::Expr(Expr::Match(_), _)));
    function.signature.ident == "as_str" && matches
}

fn write_checks(text: &mut String, repository: &Repository) -> std::fmt::Result {
    writeln!(text, "\nViolations of each check, allowed ones included:")?;
    for check in CHECKS {
        writeln!(text, "{:<26}{:>7}", check.name, (check.run)(repository).len())?;
    }
    Ok(())
}

fn write_crates(text: &mut String, repository: &Repository) -> std::fmt::Result {
    writeln!(text, "\nFiles in cycles (each group can be reached from each of its files):")?;
    for krate in &repository.crates {
        let graph = &krate.graph;
        let components = graph.components();
        let in_cycles: usize = components.iter().map(|component| component.len()).sum();
        let files = krate.files.len();
        let cycles = components.len();
        writeln!(text, "{}: {in_cycles} of {files} files in {cycles} groups", krate.folder)?;
        for component in components {
            writeln!(text, "  {}", Vec::from_iter(component).join(" "))?;
        }
    }
    writeln!(text, "\nWhat each top-level module uses:")?;
    for krate in &repository.crates {
        let graph = krate.module_graph();
        writeln!(text, "{}: {} edges", krate.folder, graph.edges().count())?;
        for (module, used) in graph.targets() {
            writeln!(text, "  {module} -> {}", used.join(" "))?;
        }
    }
    Ok(())
}
