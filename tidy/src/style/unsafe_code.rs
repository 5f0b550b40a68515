//! No `unsafe` outside the files that are for it.

use proc_macro2::{Span, TokenStream, TokenTree};

use crate::{finding::Finding, source::Source};

const ALLOWED: [&str; 3] = ["src/memory.rs", "src/process.rs", "engine/src/memory.rs"];

pub fn check(source: &Source) -> Vec<Finding> {
    if source.extension() != "rs" || ALLOWED.contains(&source.path.as_str()) {
        return Vec::new();
    }
    let tokens: TokenStream = source.text.parse().unwrap_or_default();
    let mut spans = Vec::new();
    find_unsafe(tokens, &mut spans);
    let message = format!("`unsafe` belongs in {} alone", ALLOWED.join(", "));
    spans.iter().map(|span| Finding::new(span.start().line, message.clone())).collect()
}

fn find_unsafe(tokens: TokenStream, found: &mut Vec<Span>) {
    for token in tokens {
        match token {
            TokenTree::Ident(ident) if ident == "unsafe" => found.push(ident.span()),
            TokenTree::Group(group) => find_unsafe(group.stream(), found),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repository::Repository;

    #[test]
    fn every_kind_of_unsafe_is_found_but_in_its_files() {
        let code = "unsafe fn f() {}\nfn g() { unsafe { f() } }\nunsafe impl Send for X {}\n// unsafe\n";
        let found = Repository::of(&[("a.rs", code), (ALLOWED[0], code)]).each_file(check);
        let lines: Vec<usize> = found.iter().map(|violation| violation.line).collect();
        assert_eq!(lines, [1, 2, 3]);
        assert!(found.iter().all(|violation| violation.path == "a.rs"));
    }
}
