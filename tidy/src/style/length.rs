//! How long functions, files and lines may be.

use syn::spanned::Spanned;

use crate::{
    finding::Finding,
    source::Source,
    syntax::{functions, line_of},
};

const FUNCTION_LINES: usize = 70;
const FILE_LINES: usize = 500;
const COLUMNS: usize = 120;
/// Files whose lines are measured.
const MEASURED: [&str; 5] = ["rs", "ts", "tsx", "py", "sh"];

/// From `fn` to the closing brace.
pub fn functions_too_long(file: &syn::File) -> Vec<Finding> {
    let mut findings = Vec::new();
    for function in functions(file) {
        let Some(body) = function.body else { continue };
        let start = line_of(&function.signature.fn_token);
        let lines = body.span().end().line + 1 - start;
        if lines > FUNCTION_LINES {
            let name = &function.signature.ident;
            findings.push(Finding::new(
                start,
                format!("`{name}` has {lines} lines; {FUNCTION_LINES} are allowed"),
            ));
        }
    }
    findings
}

pub fn file_too_long(source: &Source) -> Vec<Finding> {
    let lines = source.text.lines().count();
    if source.extension() != "rs" || lines <= FILE_LINES {
        return Vec::new();
    }
    vec![Finding::new(FILE_LINES + 1, format!("the file has {lines} lines; {FILE_LINES} are allowed"))]
}

pub fn lines_too_long(source: &Source) -> Vec<Finding> {
    if !MEASURED.contains(&source.extension()) {
        return Vec::new();
    }
    let mut findings = Vec::new();
    for (number, line) in source.text.lines().enumerate() {
        let columns = line.chars().count();
        if columns > COLUMNS {
            findings.push(Finding::new(number + 1, format!("{columns} columns; {COLUMNS} are allowed")));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repository::Repository;

    #[test]
    fn a_function_of_71_lines_is_found() {
        let inside = "\n".repeat(70);
        let code = format!("fn short() {{}}\n/// Docs do not count.\nfn long() {{{inside}}}\n");
        let found = functions_too_long(&syn::parse_file(&code).unwrap());
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].message, "`long` has 71 lines; 70 are allowed");
        assert_eq!(found[0].line, 3);
    }

    #[test]
    fn a_file_of_501_lines_is_found() {
        let long = "\n".repeat(501);
        let repository = Repository::of(&[("a.rs", &long), ("b.rs", &long[1..]), ("c.py", &long)]);
        let found = repository.each_file(file_too_long);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].path, "a.rs");
    }

    #[test]
    fn a_line_of_121_columns_is_found() {
        let long = format!("\n{}", "é".repeat(121));
        let repository = Repository::of(&[("a.py", &long), ("b.py", &long[..241]), ("c.toml", &long)]);
        let found = repository.each_file(lines_too_long);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].to_string(), "a.py:2: 121 columns; 120 are allowed");
    }
}
