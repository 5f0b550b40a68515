//! A closure in a `let` is passed on from two or more places, or captures three or more locals. Any other is a
//! function, or is written where it is passed on.
//!
//! Approximations: names that start with a lower-case letter in a pattern of the surrounding function are its locals,
//! whatever their scope, and a closure is passed on where its name occurs without being called.

use std::collections::BTreeSet;

use syn::{
    Expr, ExprCall, ExprClosure, ExprPath, FnArg, Local, Macro, Pat, PatIdent,
    visit::{self, Visit},
};

use crate::{
    finding::Finding,
    syntax::{Function, functions, line_of, macro_paths},
};

const MIN_PLACES: usize = 2;
const MIN_CAPTURES: usize = 3;

pub struct LocalClosure {
    pub name: String,
    pub line: usize,
    pub captures: usize,
    /// In how many places.
    pub passed_on: usize,
}

pub fn check(file: &syn::File) -> Vec<Finding> {
    let mut findings = Vec::new();
    for closure in local_closures(file) {
        if closure.passed_on < MIN_PLACES && closure.captures < MIN_CAPTURES {
            let name = closure.name;
            let message = format!("make the closure `{name}` a function, or write it where it is used");
            findings.push(Finding::new(closure.line, message));
        }
    }
    findings
}

/// All closures that a `let` names.
pub fn local_closures(file: &syn::File) -> Vec<LocalClosure> {
    functions(file).iter().flat_map(local_closures_of).collect()
}

fn local_closures_of(function: &Function<'_>) -> Vec<LocalClosure> {
    let Some(body) = function.body else { return Vec::new() };
    let mut lets = ClosureLets(Vec::new());
    lets.visit_block(body);
    let mut found = Vec::new();
    for (name, closure) in lets.0 {
        let mut outside = Names { without: Some(closure), ..Names::default() };
        outside.visit_signature(function.signature);
        outside.visit_block(body);
        let mut inside = Names::default();
        inside.visit_expr_closure(closure);
        let free = inside.used.difference(&inside.bound);
        let mut passing = PassedOn { name: &name, times: 0 };
        passing.visit_block(body);
        found.push(LocalClosure {
            line: line_of(&closure.inputs_begin),
            captures: free.filter(|name| outside.bound.contains(*name)).count(),
            passed_on: passing.times,
            name,
        });
    }
    found
}

/// The `let name = |…| …` of a function, without those of functions inside it.
struct ClosureLets<'a>(Vec<(String, &'a ExprClosure)>);

impl<'a> Visit<'a> for ClosureLets<'a> {
    fn visit_local(&mut self, local: &'a Local) {
        let pat = match &local.pat {
            Pat::Type(typed) => &typed.pat,
            pat => pat,
        };
        if let Pat::Ident(ident) = pat
            && let Some(init) = &local.init
            && let Expr::Closure(closure) = &*init.expr
        {
            self.0.push((ident.ident.to_string(), closure));
        }
        visit::visit_local(self, local);
    }

    fn visit_item(&mut self, _: &'a syn::Item) {}
}

/// The names that code binds and those that it uses.
#[derive(Default)]
struct Names<'a> {
    bound: BTreeSet<String>,
    used: BTreeSet<String>,
    /// A closure that is left out.
    without: Option<&'a ExprClosure>,
}

impl<'a> Visit<'a> for Names<'_> {
    fn visit_pat_ident(&mut self, pat: &'a PatIdent) {
        let name = pat.ident.to_string();
        if name.starts_with(|c: char| c.is_lowercase() || c == '_') {
            self.bound.insert(name);
        }
        visit::visit_pat_ident(self, pat);
    }

    fn visit_fn_arg(&mut self, argument: &'a FnArg) {
        if let FnArg::Receiver(_) = argument {
            self.bound.insert("self".to_owned());
        }
        visit::visit_fn_arg(self, argument);
    }

    fn visit_expr_path(&mut self, path: &'a ExprPath) {
        if let Some(ident) = path.path.get_ident() {
            self.used.insert(ident.to_string());
        }
    }

    fn visit_macro(&mut self, invocation: &'a Macro) {
        self.used.extend(macro_paths(&invocation.tokens).into_iter().flat_map(|path| path.names));
    }

    fn visit_expr_closure(&mut self, closure: &'a ExprClosure) {
        if !self.without.is_some_and(|without| std::ptr::eq(without, closure)) {
            visit::visit_expr_closure(self, closure);
        }
    }
}

/// How often a name is used other than by a call.
struct PassedOn<'n> {
    name: &'n str,
    times: usize,
}

impl Visit<'_> for PassedOn<'_> {
    fn visit_expr_call(&mut self, call: &ExprCall) {
        if !matches!(&*call.func, Expr::Path(path) if path.path.is_ident(self.name)) {
            self.visit_expr(&call.func);
        }
        call.args.iter().for_each(|argument| self.visit_expr(argument));
    }

    fn visit_expr_path(&mut self, path: &ExprPath) {
        self.times += usize::from(path.path.is_ident(self.name));
    }

    fn visit_macro(&mut self, invocation: &Macro) {
        let paths = macro_paths(&invocation.tokens);
        self.times += paths.iter().filter(|path| path.names == [self.name] && !path.called).count();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What each closure captures and how often it is passed on.
    fn closures(function: &str) -> Vec<(usize, usize)> {
        let file = syn::parse_file(function).unwrap();
        local_closures(&file).iter().map(|it| (it.captures, it.passed_on)).collect()
    }

    #[test]
    fn helpers_and_closures_passed_on_once_are_found() {
        let code = "fn f(n: u8) {\nlet g = |x: u8| x + n;\ng(1);\nlet h = |x| x;\nlist.map(h); }
            fn g(a: u8, b: u8, c: u8) { let h = || a + b + c; h(); let i = |x| x; list.map(i).map(i); }";
        let lines: Vec<usize> =
            check(&syn::parse_file(code).unwrap()).iter().map(|finding| finding.line).collect();
        assert_eq!(lines, [2, 4]);
    }

    #[test]
    fn captures_are_counted_in_bodies_macros_and_format_strings() {
        assert_eq!(closures("fn f(a: u8) { let b = 1; let g = |x: u8| x + a + b; g(1); }"), [(2, 0)]);
        assert_eq!(closures("fn f(a: u8) { let b = 1; let g = || format!(\"{a}{}\", b); g(); }"), [(2, 0)]);
        assert_eq!(closures("fn f(&self, a: u8) { let g = |a: u8| self.h(a, MAX); g(1); }"), [(1, 0)]);
    }

    #[test]
    fn passing_on_is_told_from_calling() {
        assert_eq!(closures("fn f() { let g = |x: u8| x; g(1); }"), [(0, 0)]);
        assert_eq!(closures("fn f() { let g = |x: u8| x; list.map(&g); g(1); }"), [(0, 1)]);
        assert_eq!(closures("fn f() { let g = |x: u8| x; assert_eq!(g(1), 1); }"), [(0, 0)]);
        assert_eq!(closures("fn f() { let g = |x: u8| x; vec![g] }"), [(0, 1)]);
    }
}
