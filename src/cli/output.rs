//! The output of the command line: text, or one JSON object with `--json`.
#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::io::Write as _;

use domain::Error;
use serde_json::{Value, json};

/// Prints results in the chosen format.
pub(super) struct Output {
    json: bool,
}

impl Output {
    pub(super) fn new(json: bool) -> Self {
        Self { json }
    }

    /// Prints a result as text or as JSON.
    pub(super) fn show(&self, text: &str, value: Value) {
        if self.json { println!("{value}") } else { println!("{}", text.trim_end()) }
    }

    /// Prints a document unchanged, as far as somebody reads it: `gavel openapi | head` is no failure.
    pub(super) fn raw(&self, document: &str) {
        let _ = std::io::stdout().write_all(document.as_bytes());
    }

    /// Reports progress on stderr; prints nothing with `--json`.
    pub(super) fn note(&self, line: &str) {
        if !self.json {
            eprintln!("{line}");
        }
    }

    /// Prints a failure to stderr.
    pub(super) fn fail(&self, error: &anyhow::Error) {
        let known = error.downcast_ref::<Error>();
        let text = known.map_or_else(|| format!("{error:#}"), |known| known.message.clone());
        let code = known.map_or("INTERNAL_ERROR", |known| known.code.as_str());
        // Operators may see the cause of an internal error.
        let text = match known.and_then(|known| known.cause.as_ref()) {
            Some(cause) => format!("{text}: {cause}"),
            None => text,
        };
        if self.json {
            eprintln!("{}", json!({ "error": text, "code": code }))
        } else {
            eprintln!("error: {text}")
        }
    }
}

/// Formats a table with two spaces between the columns.
pub(super) fn table<const N: usize>(header: [&str; N], rows: &[[String; N]]) -> String {
    let mut widths = header.map(|cell| cell.chars().count());
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let mut text = line(&header.map(str::to_owned), widths);
    text.extend(rows.iter().map(|row| line(row, widths)));
    text
}

fn line<const N: usize>(cells: &[String; N], widths: [usize; N]) -> String {
    let padded = cells.iter().zip(widths).map(|(cell, width)| {
        // A width in a format has 16 bits.
        [cell.as_str(), &" ".repeat(width - cell.chars().count())].concat()
    });
    padded.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
}

#[cfg(test)]
mod tests {
    use super::table;

    #[test]
    fn cells_of_any_length_are_padded() {
        let long = "é".repeat(70_000);
        let text = table(["a", "b"], &[[long.clone(), "x".to_owned()], ["é".to_owned(), "y".to_owned()]]);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[1], format!("{long}  x"));
        assert_eq!(lines[2], format!("é{}  y", " ".repeat(69_999)));
    }
}
