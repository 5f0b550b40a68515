//! Regular expressions that are part of the program.

use regex::Regex;

/// Compiles an expression, which a test has seen to be valid.
pub(super) fn compile(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is valid")
}
