//! What a check finds.

use std::fmt;

/// A violation in a file that the caller knows.
#[derive(Debug)]
pub struct Finding {
    pub line: usize,
    pub message: String,
}

impl Finding {
    pub fn new(line: usize, message: impl Into<String>) -> Self {
        Self { line, message: message.into() }
    }

    pub fn at(self, path: &str) -> Violation {
        Violation { path: path.to_owned(), line: self.line, message: self.message }
    }
}

#[derive(Debug)]
pub struct Violation {
    pub path: String,
    pub line: usize,
    pub message: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path, self.line, self.message)
    }
}
