//! One `let` per binding: no `let (a, b) = (x, y);`.

use syn::{
    Expr, Local, Pat,
    visit::{self, Visit},
};

use crate::{finding::Finding, syntax::line_of};

pub fn check(file: &syn::File) -> Vec<Finding> {
    let mut found = TupleLets(Vec::new());
    found.visit_file(file);
    found.0
}

struct TupleLets(Vec<Finding>);

impl Visit<'_> for TupleLets {
    fn visit_local(&mut self, local: &Local) {
        let value = local.init.as_ref().map(|init| &*init.expr);
        if is_tuple(&local.pat) && matches!(value, Some(Expr::Tuple(_))) {
            self.0.push(Finding::new(line_of(local), "write one `let` per binding"));
        }
        visit::visit_local(self, local);
    }
}

fn is_tuple(pat: &Pat) -> bool {
    match pat {
        Pat::Tuple(_) => true,
        Pat::Type(typed) => is_tuple(&typed.pat),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(body: &str) -> Vec<usize> {
        let file = syn::parse_file(&format!("fn f() {{\n{body}\n}}")).unwrap();
        check(&file).iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn a_tuple_taken_apart_at_once_is_found() {
        assert_eq!(
            lines("let a = 1;\nlet (b, c): (u8, u8) = (a, 2);\nlet g = || { let (d, e) = (1, 2); };"),
            [3, 4]
        );
    }

    #[test]
    fn a_tuple_from_elsewhere_is_fine() {
        assert!(lines("let (a, b) = pair();\nlet c = (1, 2);\nlet d = (a, b);").is_empty());
    }
}
